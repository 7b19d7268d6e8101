import { isInUse } from '../../model/fleet-agent.ts';
import { Heading } from '../../parts/heading.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import type { ScreenProps } from '../../screen-props.ts';
import { often } from '../../store/clock.ts';
import { mayWrite } from '../../store/credential.ts';
import { AgentFacts } from './agent-facts.tsx';
import { AgentEnd, AgentForm } from './agent-form.tsx';
import { agentTexts as say } from './agent-texts.ts';
import { AgentUpgrade } from './agent-upgrade.tsx';
import { AgentName } from './fleet-rows.tsx';
import { locationTexts } from './location-texts.ts';
import css from './locations.module.css';
import { locationsTexts } from './locations-texts.ts';
import { type OpenedAgent, readAgent } from './opened-agent.ts';
import { settingsRevision } from './opened-location.ts';

function AgentHelp({ opened: { agent } }: { readonly opened: OpenedAgent }) {
  const { help } = say;
  return (
    <section class="section">
      <h2>{help.title}</h2>
      {agent.State === 'Fenced' && <p class={css['warning']}>{help.fenced(agent.agent_id)}</p>}
      <p>{help.host}</p>
      <p class="buttons">
        {(
          [
            ['/docs/agent', help.docs],
            ['/docs/agent-behind-a-firewall', help.firewall],
            ['/docs/troubleshooting', help.troubles],
          ] as const
        ).map(([href, words]) => (
          <a key={href} class="link" href={href} target="_blank" rel="noreferrer">
            {words}
          </a>
        ))}
      </p>
    </section>
  );
}

/** The settings of an agent that a person may change. */
function AgentChanges({ opened, again }: { readonly opened: OpenedAgent; readonly again: () => void }) {
  const { agent } = opened;
  return (
    <div>
      <section class="section">
        <h2>{say.settings}</h2>
        <AgentForm key={settingsRevision(opened.etag)} opened={opened} onSaved={again} />
      </section>
      {isInUse(agent) && (
        <section class="section">
          <h2>{say.upgrade.title}</h2>
          <AgentUpgrade opened={opened} onStarted={again} />
        </section>
      )}
      <section class="section">
        <h2>{say.end}</h2>
        <AgentEnd opened={opened} onDone={again} />
      </section>
    </div>
  );
}

/** An agent: its state and figures, its settings, and its end. */
export function AgentScreen({ id }: ScreenProps) {
  const read = useRead(() => readAgent(id), [id], [often.value]);
  const { data: opened, again } = read;
  return (
    <div class="page">
      <p class={css['crumb']}>
        <a class="link" href="/locations">
          {locationTexts.back}
        </a>
      </p>
      <ReadState read={read} title={say.title} />
      {opened !== undefined && (
        <>
          <Heading>
            <AgentName agent={opened.agent} />
          </Heading>
          {opened.agent.Version === null && <p class="mute">{say.waiting}</p>}
          <div class={css['columns']}>
            <div>
              <AgentFacts agent={opened.agent} />
              <AgentHelp opened={opened} />
            </div>
            {mayWrite.value ? (
              <AgentChanges opened={opened} again={again} />
            ) : (
              <p class="hint">{locationsTexts.noRights}</p>
            )}
          </div>
        </>
      )}
    </div>
  );
}
