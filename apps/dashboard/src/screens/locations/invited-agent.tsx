import { agentName } from '../../model/fleet-agent.ts';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { api, take } from '../../store/api.ts';
import { now } from '../../store/clock.ts';
import { FirstChecks } from './first-checks.tsx';
import { inviteTexts as say } from './invite-texts.ts';
import css from './locations.module.css';

/** After this time without a connection the dialog says what to check. */
const helpAfterMs = 120_000;
const pollMs = 3_000;

/** The agent of an invitation, read again each few seconds. */
export function useInvitedAgent(agent_id: string) {
  return useRead(
    () => take(api.GET('/agents/{agent_id}', { params: { path: { agent_id } } })),
    [agent_id],
    [Math.floor(now.value / pollMs)],
  );
}

function Help({ host, port }: { readonly host: string; readonly port: string }) {
  return (
    <>
      <p>{say.nothing}</p>
      <ul>
        {say.checks(host, port).map((words) => (
          <li key={words}>{words}</li>
        ))}
      </ul>
      <p>
        <a class="link" href="/docs/install-agent" target="_blank" rel="noreferrer">
          {say.installDocs}
        </a>
        {' · '}
        <a class="link" href="/docs/agent-behind-a-firewall" target="_blank" rel="noreferrer">
          {say.firewallDocs}
        </a>
      </p>
    </>
  );
}

/** The invited agent: waited for, or connected with its first checks. */
export function InvitedAgent({
  read,
  name,
  host,
  port,
}: {
  readonly read: ReturnType<typeof useInvitedAgent>;
  /** The name that the person chose; '': none. */
  readonly name: string;
  /** The host and the port of this controller in the command. */
  readonly host: string;
  readonly port: string;
}) {
  const { data: agent } = read;
  if (agent?.State === 'Connected')
    return (
      <div class={css['arrived']} role="status">
        <p>
          <b>{say.arrived(agentName(agent), agent.Name === '' ? '' : (agent.HostName ?? ''))}</b>{' '}
          <a class="link" href={`/locations/agents/${agent.agent_id}`}>
            {say.open}
          </a>
        </p>
        <FirstChecks location_id={agent.location_id} since={agent.CreatedAt} />
      </div>
    );
  const waitedMs = agent === undefined ? 0 : now.value - Date.parse(agent.CreatedAt);
  const isEnrolled = agent !== undefined && agent.CertificateEnd !== null;
  return (
    <div class={css['waiting']}>
      <ReadState read={read} rows={0} />
      <p role="status">{isEnrolled ? say.enrolled : say.waiting(name === '' ? say.theAgent : name)}</p>
      {waitedMs >= helpAfterMs && <Help host={host} port={port} />}
    </div>
  );
}
