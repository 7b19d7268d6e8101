import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import { agentName } from '../../model/fleet-agent.ts';
import { briefly } from '../../model/format.ts';
import { countRollout, rolloutOrder } from '../../model/rollout-view.ts';
import { Heading } from '../../parts/heading.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { ScrollSection } from '../../parts/scroll-section.tsx';
import { useRead } from '../../parts/use-read.ts';
import { events } from '../../store/account-state.ts';
import { readAgents } from '../../store/agents.ts';
import { api, take } from '../../store/api.ts';
import { often, secondsSince } from '../../store/clock.ts';
import { mayWrite } from '../../store/credential.ts';
import { locationTexts } from '../locations/location-texts.ts';
import locationsCss from '../locations/locations.module.css';
import { locationsTexts } from '../locations/locations-texts.ts';
import { UpgradeAgentsDialog } from '../locations/upgrade-agents-dialog.tsx';
import css from './rollouts.module.css';
import { rolloutsTexts as say } from './rollouts-texts.ts';

type Rollout = Schemas['Rollout'];
type RolloutAgent = Rollout['Agents'][number];

/** Agents of a rollout that are shown at first. */
const firstShown = 20;

const ageOf = (at: string) => briefly(secondsSince(Date.parse(at)));
const spanOf = (from: string, to: string) => briefly((Date.parse(to) - Date.parse(from)) / 1_000);

/** The four stages with the present one marked. */
function Stages({ stage, mayBegin }: { readonly stage: number; readonly mayBegin: number }) {
  return (
    <ol class={css['stages']} aria-label={say.stagesLabel(stage, mayBegin)}>
      {say.stages.map((words, at) => (
        <li
          key={words}
          class={at + 1 < stage ? css['past'] : at + 1 === stage ? css['present'] : undefined}
          aria-current={at + 1 === stage ? 'step' : undefined}
        >
          {words}
        </li>
      ))}
    </ol>
  );
}

function AgentLine({ agent }: { readonly agent: RolloutAgent }) {
  const { columns } = say;
  const isAway = agent.State === 'Waiting' && !agent.Connected;
  return (
    <tr>
      <th scope="row">
        <a href={`/locations/agents/${agent.agent_id}`}>
          <bdi>{agentName(agent)}</bdi>
        </a>
      </th>
      <td data-label={columns.location}>
        <bdi>{agent.Location}</bdi>
      </td>
      <td data-label={columns.state} class={agent.State === 'Failed' ? 'bad' : undefined}>
        {isAway ? say.away : locationsTexts.upgradeStates[agent.State]}
      </td>
      <td data-label={columns.since}>{ageOf(agent.Since)}</td>
      <td data-label={agent.Reason === null ? undefined : columns.reason}>{agent.Reason}</td>
    </tr>
  );
}

function RolloutBlock({
  rollout,
  onAgain,
}: {
  readonly rollout: Rollout;
  /** Undefined: the session starts no upgrade. */
  readonly onAgain: ((rollout: Rollout) => void) | undefined;
}) {
  const [isAll, setAll] = useState(false);
  const { Version, State, Reason, Started, Ended, Stage, MayBegin, Agents } = rollout;
  const agents = rolloutOrder(Agents);
  const shown = isAll ? agents : agents.slice(0, firstShown);
  const rest = Agents.filter((agent) => agent.State === 'Failed' || agent.State === 'Stopped');
  return (
    <section class="section">
      <h2>
        {say.title(Version, Agents.length)} <span class="mute">{say.states[State]}</span>
      </h2>
      <p class={css['facts']}>
        {say.counts(countRollout(rollout))}
        <span class="mute">
          {' '}
          · {Ended === null ? say.began(ageOf(Started)) : say.took(spanOf(Started, Ended))}
        </span>
      </p>
      {Stage !== null && MayBegin !== null && <Stages stage={Stage} mayBegin={MayBegin} />}
      {Reason !== null && <p class={locationsCss['warning']}>{say.because(Reason)}</p>}
      {State === 'Stopped' && rest.length > 0 && onAgain !== undefined && (
        <p class={`buttons ${css['again']}`}>
          <button type="button" class="button" onClick={() => onAgain(rollout)}>
            {say.again(rest.length)}
          </button>
          <span class="hint">{say.againHint}</span>
        </p>
      )}
      <ScrollSection label={say.title(Version, Agents.length)}>
        <table class={`stack ${css['agents']}`}>
          <thead>
            <tr>
              {Object.values(say.columns).map((words) => (
                <th key={words} scope="col">
                  {words}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((agent) => (
              <AgentLine key={agent.agent_id} agent={agent} />
            ))}
          </tbody>
        </table>
      </ScrollSection>
      {agents.length > shown.length && (
        <button type="button" class="button" onClick={() => setAll(true)}>
          {say.shown(agents.length)}
        </button>
      )}
    </section>
  );
}

/** The dialog that upgrades the agents that failed or did not start. */
function AgainDialog({ rollout, onClose }: { readonly rollout: Rollout; readonly onClose: () => void }) {
  const read = useRead(readAgents, []);
  if (read.data === undefined) return <ReadState read={read} />;
  const ids = new Set(
    rollout.Agents.filter(({ State }) => State === 'Failed' || State === 'Stopped').map(
      ({ agent_id }) => agent_id,
    ),
  );
  return (
    <UpgradeAgentsDialog
      agents={read.data.filter(({ agent_id }) => ids.has(agent_id))}
      newest={rollout.Version}
      onDone={onClose}
      onClose={onClose}
    />
  );
}

/** The newest rollouts: their stages, and their agents with state and reason. */
export function RolloutsScreen() {
  const [again, setAgain] = useState<Rollout>();
  const newest = events.value.find(({ Type }) => Type.startsWith('Agent'))?.event_id;
  const read = useRead(() => take(api.GET('/rollouts')), [], [newest, often.value]);
  const running = (read.data ?? []).filter(({ State }) => State === 'Running');
  return (
    <div class="page">
      <p class={locationsCss['crumb']}>
        <a class="link" href="/locations">
          {locationTexts.back}
        </a>
      </p>
      <Heading>
        {read.data === undefined ? say.name : say.headline(running.length, running[0]?.Version ?? '')}
      </Heading>
      <p class={locationsCss['lead']}>{say.about}</p>
      <ReadState read={read} rows={6} />
      {read.data?.length === 0 && <p class="section">{say.none}</p>}
      {read.data?.map((rollout) => (
        <RolloutBlock
          key={`${rollout.Version} ${rollout.Started}`}
          rollout={rollout}
          onAgain={mayWrite.value ? setAgain : undefined}
        />
      ))}
      {again !== undefined && (
        <AgainDialog
          rollout={again}
          onClose={() => {
            setAgain(undefined);
            read.again();
          }}
        />
      )}
    </div>
  );
}
