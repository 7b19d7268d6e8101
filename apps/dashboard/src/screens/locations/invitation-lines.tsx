import { useState } from 'preact/hooks';
import { hostOf, reachOf, suggestedEndpoint, typedEndpoint } from '../../model/agent-host.ts';
import { CopyLine } from '../../parts/copy-line.tsx';
import { FormRefusal } from '../../parts/form-end.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { problemWords } from '../../parts/problem-words.ts';
import { removeAgentFully } from '../../store/agents.ts';
import { now } from '../../store/clock.ts';
import type { InvitationRequest, MadeInvitation } from './invitation.ts';
import { inviteTexts as say } from './invite-texts.ts';
import { InvitedAgent, useInvitedAgent } from './invited-agent.tsx';
import css from './locations.module.css';

/** The address in the command: a warning if other hosts may not reach it, and a field for another one. */
function EndpointChoice({
  made: { invitation, request, warnings },
  words,
  onUse,
}: {
  readonly made: MadeInvitation;
  readonly words: string | undefined;
  readonly onUse: (request: InvitationRequest) => void;
}) {
  const [endpoint = ''] = invitation.Endpoints;
  const host = hostOf(endpoint) ?? '';
  const reach = reachOf(host);
  const [text, setText] = useState(suggestedEndpoint(endpoint, location.hostname) ?? endpoint);
  const [isWrong, setWrong] = useState(false);
  const use = (event: SubmitEvent) => {
    event.preventDefault();
    const typed = typedEndpoint(text, endpoint);
    setWrong(typed === undefined);
    if (typed !== undefined) onUse({ ...request, endpoint: typed });
  };
  return (
    <form class={css['form']} onSubmit={use} noValidate>
      {reach !== 'public' && (
        <p class={css['warning']} role="status">
          {say.warnings[reach](host)}
        </p>
      )}
      {warnings !== '' && <p class={css['warning']}>{warnings}</p>}
      <div class={css['endpoint']}>
        <LineField
          name={say.address}
          value={text}
          problem={isWrong ? say.addressWrong : undefined}
          hint={say.useHint}
          onInput={setText}
        />
        <button type="submit" class="button" disabled={typedEndpoint(text, endpoint) === endpoint}>
          {say.use}
        </button>
      </div>
      <FormRefusal words={words} />
    </form>
  );
}

/** The command of an invitation, the time that is left, and the agent that appears. */
export function InvitationLines({
  made,
  words,
  invite,
  onClose,
}: {
  readonly made: MadeInvitation;
  readonly words: string | undefined;
  readonly invite: (request: InvitationRequest) => Promise<void>;
  readonly onClose: () => void;
}) {
  const { invitation, request } = made;
  const [problem, setProblem] = useState<unknown>();
  const read = useInvitedAgent(invitation.agent_id);
  const agent = read.data;
  const left = (Date.parse(invitation.Expires) - now.value) / 1_000;
  const isUsed = agent !== undefined && agent.CertificateEnd !== null;
  const [endpoint = ''] = invitation.Endpoints;
  const port = URL.canParse(endpoint) ? new URL(endpoint).port || '443' : '';
  const cancel = () => {
    removeAgentFully(invitation.agent_id).then(onClose, setProblem);
  };
  return (
    <div class={css['form']}>
      {!isUsed && left > 0 && (
        <>
          <CopyLine text={invitation.Command} label={say.line} />
          <p class="hint" title={invitation.Expires}>
            {say.until(invitation.Expires.slice(11, 16), left)} {say.secret}
          </p>
          <EndpointChoice
            key={invitation.agent_id}
            made={made}
            words={words}
            onUse={(next) => void invite(next)}
          />
          <details>
            <summary>{say.more}</summary>
            <div class={css['form']}>
              <CopyLine text={invitation.CommandWget} label={say.wget} />
              <p>{say.proxy}</p>
              <p>{say.ports(port)}</p>
              <p>
                <a class="link" href="/docs/install-agent" target="_blank" rel="noreferrer">
                  {say.installDocs}
                </a>
              </p>
            </div>
          </details>
        </>
      )}
      {!isUsed && left <= 0 ? (
        <div class={css['warning']} role="alert">
          <p>{say.expired}</p>
          <button type="button" class="button" onClick={() => void invite(request)}>
            {say.again}
          </button>
        </div>
      ) : (
        <InvitedAgent read={read} name={request.name} host={hostOf(endpoint) ?? ''} port={port} />
      )}
      <FormRefusal words={problem === undefined ? undefined : problemWords(problem)} />
      <div class="buttons">
        <button type="button" class="button main" onClick={onClose}>
          {say.done}
        </button>
        {!isUsed && (
          <button type="button" class="button bad" onClick={cancel}>
            {say.cancel}
          </button>
        )}
      </div>
    </div>
  );
}
