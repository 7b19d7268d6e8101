import type { Schemas } from '@vantage/client';
import { figuresOut, hasReports } from '../../model/fleet-agent.ts';
import { count } from '../../model/format.ts';
import { Moment, Since } from '../../parts/time.tsx';
import { now } from '../../store/clock.ts';
import { agentTexts as say } from './agent-texts.ts';
import { AgentState } from './fleet-rows.tsx';
import { LoadBar } from './load-bar.tsx';
import css from './locations.module.css';
import { locationsTexts } from './locations-texts.ts';

/** The figures of an agent, which it reports while it is connected. */
function AgentFigures({ agent }: { readonly agent: Schemas['Agent'] }) {
  const { facts } = say;
  const out = figuresOut(agent, now.value);
  const of = (figure: 'late' | 'backlog' | 'clock') => (out.has(figure) ? css['out'] : undefined);
  const isReporting = hasReports(agent);
  return (
    <>
      <dt>{facts.load}</dt>
      <dd>
        <LoadBar load={agent.Load} capacity={agent.Capacity} />
      </dd>
      <dt>{facts.late}</dt>
      <dd class={of('late')}>
        {isReporting ? say.lateness(agent.Lateness.p50, agent.Lateness.p99) : say.noReports}
      </dd>
      <dt>{facts.backlog}</dt>
      <dd class={of('backlog')}>{isReporting ? count(agent.Backlog) : say.noReports}</dd>
      <dt>{facts.clock}</dt>
      <dd class={of('clock')}>{isReporting ? locationsTexts.offset(agent.ClockOffset) : say.noReports}</dd>
    </>
  );
}

/** The state and the figures of an agent. */
export function AgentFacts({ agent }: { readonly agent: Schemas['Agent'] }) {
  const { facts } = say;
  const { Upgrade } = agent;
  return (
    <dl class={css['facts']}>
      <dt>{facts.state}</dt>
      <dd>
        <AgentState agent={agent} />
        {agent.OfflineReason !== null && <p>{agent.OfflineReason}</p>}
      </dd>
      <dt>{facts.location}</dt>
      <dd>
        <a class="link" href={`/locations/${agent.location_id}`}>
          <bdi>{agent.Location}</bdi>
        </a>
      </dd>
      <dt>{facts.host}</dt>
      <dd>{agent.HostName ?? '–'}</dd>
      <dt>{facts.seen}</dt>
      <dd>
        {agent.LastSeen === null ? (
          facts.never
        ) : (
          <>
            <Since at={agent.LastSeen} /> {facts.ago}
          </>
        )}
      </dd>
      {agent.Version !== null && <AgentFigures agent={agent} />}
      <dt>{facts.version}</dt>
      <dd>{agent.Version ?? '–'}</dd>
      {Upgrade !== null && (
        <>
          <dt>{facts.upgrade}</dt>
          <dd>
            {locationsTexts.upgrade(Upgrade.Version, locationsTexts.upgradeStates[Upgrade.State])}{' '}
            <span class="mute">
              <Moment at={Upgrade.Since} />
            </span>
            {Upgrade.Reason !== null && <p>{Upgrade.Reason}</p>}
          </dd>
        </>
      )}
      <dt>{facts.certificate}</dt>
      <dd>
        {agent.CertificateEnd === null ? (
          '–'
        ) : (
          <>
            <Moment at={agent.CertificateEnd} /> <span class="mute">{facts.certificateHint}</span>
          </>
        )}
      </dd>
      <dt>{facts.created}</dt>
      <dd>
        <Moment at={agent.CreatedAt} />
      </dd>
      <dt>{facts.id}</dt>
      <dd>
        <code>{agent.agent_id}</code>
      </dd>
    </dl>
  );
}
