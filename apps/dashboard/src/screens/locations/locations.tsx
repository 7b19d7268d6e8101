import type { Schemas } from '@vantage/client';
import { useEffect, useState } from 'preact/hooks';
import { count } from '../../model/format.ts';
import { CopyLine } from '../../parts/copy-line.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Heading } from '../../parts/heading.tsx';
import { Mark, StateWord } from '../../parts/mark.tsx';
import { Waiting, wordsOf } from '../../parts/notice.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { Moment } from '../../parts/time.tsx';
import { useRead } from '../../parts/use-read.ts';
import { events, type Location, locations, progress, readLocations } from '../../store/account-state.ts';
import { readAgents } from '../../store/agents.ts';
import { ApiProblem, api, take } from '../../store/api.ts';
import { minute } from '../../store/clock.ts';
import { mayWrite } from '../../store/credential.ts';
import { texts } from '../../texts/index.ts';
import css from './locations.module.css';

const say = texts.locations;
const gap = ' ';

function LocationTable({ list }: { readonly list: readonly Location[] }) {
  const { columns } = say;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
    <section class="scroll" aria-label={say.title} tabIndex={0}>
      <table class={css['stacked']}>
        <thead>
          <tr>
            {[
              columns.name,
              columns.state,
              columns.devices,
              columns.load,
              columns.capacity,
              columns.agents,
            ].map((name, at) => (
              <th key={name} scope="col" class={at > 1 && at < 5 ? 'num' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {list.map(({ location_id, Name, Online, OfflineReason, Load, Agents }) => (
            <tr key={location_id}>
              <th scope="row" class={css['name']}>
                <bdi>{Name}</bdi>
              </th>
              <td class={css['state']}>
                {Online ? (
                  <span class="mute">
                    <Mark name="Up" /> {say.online}
                  </span>
                ) : (
                  <StateWord state="Offline">{OfflineReason ?? texts.overview.noAgent}</StateWord>
                )}
              </td>
              <td class="num" data-label={columns.devices}>
                {count(Load.Devices)}
              </td>
              <td class="num" data-label={columns.load}>
                {Load.ChecksPerMinute.toFixed(1)}
              </td>
              <td class="num" data-label={columns.capacity}>
                {count(Load.Capacity)}
              </td>
              <td data-label={columns.agents}>{say.connected(Agents.Connected, Agents.Count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function AgentTable({ list }: { readonly list: readonly Schemas['Agent'][] }) {
  const { agentColumns } = say;
  const numbers: readonly string[] = [
    agentColumns.late,
    agentColumns.backlog,
    agentColumns.clock,
    agentColumns.load,
  ];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
    <section class="scroll" aria-label={say.agents} tabIndex={0}>
      <table class={css['stacked']}>
        <thead>
          <tr>
            {Object.values(agentColumns).map((name) => (
              <th key={name} scope="col" class={numbers.includes(name) ? 'num' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {list.map((agent) => (
            <tr key={agent.agent_id}>
              <th scope="row" class={css['name']}>
                {agent.Name === '' ? <span class="mute">{say.nameless}</span> : <bdi>{agent.Name}</bdi>}{' '}
                {agent.HostName !== agent.Name && <span class="mute">{agent.HostName}</span>}
              </th>
              <td data-label={agentColumns.location}>{agent.Location}</td>
              <td data-label={agentColumns.state} title={agent.OfflineReason ?? undefined}>
                {agent.State}
              </td>
              <td data-label={agentColumns.version}>
                {agent.Version ?? '–'}
                {agent.Upgrade !== null && ` → ${agent.Upgrade.Version} ${agent.Upgrade.State}`}
              </td>
              <td class="num" data-label={agentColumns.late}>
                {agent.Version === null ? '–' : `${agent.Lateness.p99.toFixed(1)}${gap}ms`}
              </td>
              <td class="num" data-label={agentColumns.backlog}>
                {count(agent.Backlog)}
              </td>
              <td class="num" data-label={agentColumns.clock}>
                {agent.Version === null ? '–' : `${agent.ClockOffset.toFixed(1)}${gap}ms`}
              </td>
              <td class="num" data-label={agentColumns.load}>
                {agent.Load.toFixed(1)}
              </td>
              <td data-label={agentColumns.certificate}>
                {agent.CertificateEnd === null ? '–' : <Moment at={agent.CertificateEnd} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** From where devices are checked, and by which agents. */
export function Locations() {
  const [isInviting, setInviting] = useState(false);
  const newest = events.value.find(({ Type }) => /^(Location|Agent)/.test(Type))?.event_id;
  // An invitation expires without an event.
  const agents = useRead(readAgents, [], [newest, minute.value]);
  const { data, again } = agents;
  const offline = locations.value.filter(({ Online }) => !Online).length;
  const ordered = [...locations.value].sort(
    (a, b) => Number(a.Online) - Number(b.Online) || (a.Name < b.Name ? -1 : 1),
  );
  return (
    <div class="page">
      <div class={css['head']}>
        <Heading>
          {progress.value !== 'ready'
            ? say.title
            : offline === 0
              ? say.allOnline(locations.value.length)
              : say.offline(offline)}
        </Heading>
        {mayWrite.value && (
          <button type="button" class="button main" onClick={() => setInviting(true)}>
            {say.invite}
          </button>
        )}
      </div>
      <section class="section">
        <h2>{say.title}</h2>
        {ordered.length > 0 && <LocationTable list={ordered} />}
        {ordered.length === 0 && progress.value === 'loading' && <Waiting rows={2} />}
      </section>
      <section class="section">
        <h2>{say.agents}</h2>
        <ReadState read={agents} rows={3} />
        {data !== undefined && <AgentTable list={data} />}
      </section>
      {isInviting && (
        <Invite
          onClose={() => {
            setInviting(false);
            again();
          }}
        />
      )}
    </div>
  );
}

/** The controller makes the package of the agent, and wants to be asked again. */
const notYet = 1503;
const againMs = 3_000;

function Made({
  invitation,
  onClose,
}: {
  readonly invitation: Schemas['Invitation'];
  readonly onClose: () => void;
}) {
  return (
    <div class={css['form']}>
      <CopyLine text={invitation.Command} label={say.line} />
      <CopyLine text={invitation.CommandWget} label={say.wget} />
      <p class="hint" title={invitation.Expires}>
        {say.expires(invitation.Expires.slice(11, 16))}
      </p>
      <button type="button" class="button main" onClick={onClose}>
        {say.done}
      </button>
    </div>
  );
}

/** Invites an agent to a Location; asks again while the controller makes the package of the agent. */
function useInvitation() {
  const [made, setMade] = useState<Schemas['Invitation']>();
  const [problem, setProblem] = useState<string>();
  /** The Location for which the controller is asked again; each refusal is another object. */
  const [waiting, setWaiting] = useState<{ readonly Location: string }>();
  const invite = async (Location: string) => {
    try {
      setMade(await take(api.POST('/agents/invitations', { body: { Location } })));
      await readLocations();
    } catch (error) {
      setProblem(wordsOf(error));
      setWaiting(error instanceof ApiProblem && error.code === notYet ? { Location } : undefined);
    }
  };
  useEffect(() => {
    if (waiting === undefined) return;
    const timer = setTimeout(() => void invite(waiting.Location), againMs);
    return () => clearTimeout(timer);
  }, [waiting]);
  return { made, problem, setProblem, isWaiting: waiting !== undefined, invite };
}

/** Creates the line that installs an agent on a host. */
function Invite({ onClose }: { readonly onClose: () => void }) {
  const [chosen, setChosen] = useState(locations.value[0]?.Name ?? '');
  const [name, setName] = useState('');
  const { made, problem, setProblem, isWaiting, invite } = useInvitation();
  const isNew = chosen === '';
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const Location = isNew ? name.trim() : chosen;
    try {
      if (isNew) await take(api.POST('/locations', { body: { Name: Location } }));
      await readLocations();
      setChosen(Location);
    } catch (error) {
      setProblem(wordsOf(error));
      return;
    }
    await invite(Location);
  };
  return (
    <Dialog title={say.invite} onClose={onClose} isWide>
      {made === undefined ? (
        <form class={css['form']} onSubmit={(event) => void submit(event)}>
          <p class="mute">{say.inviteHint}</p>
          <label>
            <span class="label">{say.location}</span>
            <select value={chosen} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
              {locations.value.map(({ Name }) => (
                <option key={Name} value={Name}>
                  {Name}
                </option>
              ))}
              <option value="">{say.newLocation}</option>
            </select>
          </label>
          {isNew && (
            <label>
              <span class="label">{say.newName}</span>
              <input type="text" value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
            </label>
          )}
          {problem !== undefined && (
            <p class={isWaiting ? 'hint' : 'hint bad'} role="alert">
              {problem}
            </p>
          )}
          <button type="submit" class="button main" disabled={isWaiting}>
            {say.make}
          </button>
        </form>
      ) : (
        <Made invitation={made} onClose={onClose} />
      )}
    </Dialog>
  );
}
