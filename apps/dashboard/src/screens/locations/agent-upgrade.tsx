import { useState } from 'preact/hooks';
import { FormRefusal, SubmitButton } from '../../parts/form-end.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { useSending } from '../../parts/use-sending.ts';
import { api, take } from '../../store/api.ts';
import { agentTexts } from './agent-texts.ts';
import css from './locations.module.css';
import type { OpenedAgent } from './opened-agent.ts';

const say = agentTexts.upgrade;

/** Upgrades an agent to a version that the controller has. */
export function AgentUpgrade({
  opened: { agent, newer },
  onStarted,
}: {
  readonly opened: OpenedAgent;
  readonly onStarted: () => void;
}) {
  const [version, setVersion] = useState(newer ?? '');
  const [started, setStarted] = useState('');
  const sending = useSending();
  const start = async () => {
    setStarted('');
    const params = { path: { agent_id: agent.agent_id } };
    await take(api.PUT('/agents/{agent_id}/upgrade', { params, body: { Version: version.trim() } }));
    setStarted(version.trim());
    onStarted();
  };
  return (
    <form class={css['form']} onSubmit={(event) => void sending.send(event, start)} noValidate>
      <p class="hint">{say.hint}</p>
      <LineField
        name={say.version}
        value={version}
        problem={sending.problemOf('Version')}
        onInput={setVersion}
      />
      <FormRefusal words={sending.words(['Version'])} />
      {started !== '' && <p role="status">{say.started(started)}</p>}
      <div class="buttons">
        <SubmitButton isOff={sending.isBusy || version.trim() === ''}>{say.button}</SubmitButton>
        <a class="link" href="/docs/install-agent" target="_blank" rel="noreferrer">
          {say.docs}
        </a>
      </div>
    </form>
  );
}
