import type { Schemas } from '@vantage/client';
import { invitationMinutes } from '@vantage/domain/agent-limits';
import type { ComponentChildren } from 'preact';
import { agentName, type Figure, figuresOut, hasReports, isInUse } from '../../model/fleet-agent.ts';
import type { FleetGroup } from '../../model/fleet-list.ts';
import { count, exactTime, milliseconds } from '../../model/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { now, secondsSince } from '../../store/clock.ts';
import { deviceWords } from '../../texts/device-words.ts';
import selectionCss from './fleet-selection.module.css';
import { LoadBar } from './load-bar.tsx';
import css from './locations.module.css';
import { locationsTexts as say } from './locations-texts.ts';

type Agent = Schemas['Agent'];
type Location = Schemas['Location'];

const none = '–';

/** The state of an agent in words. */
export function AgentState({ agent }: { readonly agent: Agent }) {
  const { State, LastSeen, CreatedAt } = agent;
  if (State === 'New') {
    const seconds = invitationMinutes * 60 - secondsSince(Date.parse(CreatedAt));
    // An agent that enrolled has until the end of its certificate.
    return <span class="mute">{say.invited(agent.CertificateEnd === null ? seconds : 0)}</span>;
  }
  if (State === 'Connected') return <span class="mute">{say.agentStates.Connected}</span>;
  if (State !== 'Away') return <span class={css['offline']}>{say.agentStates[State]}</span>;
  return (
    <span class={css['offline']} title={LastSeen ?? undefined}>
      {LastSeen === null ? say.awayNever : say.away(secondsSince(Date.parse(LastSeen)))}
    </span>
  );
}

/** The state of a Location in words. An offline one has the time since one of its agents was heard. */
export function LocationState({
  location,
  agents,
}: {
  readonly location: Location;
  readonly agents: readonly Agent[];
}) {
  if (location.Online) return <>{say.online}</>;
  const heard = agents.flatMap(({ LastSeen }) => (LastSeen === null ? [] : [Date.parse(LastSeen)]));
  if (!agents.some(isInUse))
    return <>{agents.some(({ State }) => State === 'New') ? say.waiting : say.noAgent}</>;
  return <>{heard.length === 0 ? say.offline : say.offlineFor(secondsSince(Math.max(...heard)))}</>;
}

/** The anchors of a Location with their states. */
function anchorWords({ AnchorStates }: Pick<Location, 'AnchorStates'>): string {
  if (AnchorStates.length === 0) return say.noAnchors;
  return `${say.anchors} ${AnchorStates.map(({ Name, State }) => say.anchor(Name, State)).join(', ')}`;
}

function LocationRow({
  location,
  agents,
  devices,
}: {
  readonly location: Location;
  readonly agents: readonly Agent[];
  readonly devices: Schemas['SummaryOfLocation'] | undefined;
}) {
  const { Online, Name, location_id, Load, OfflineReason } = location;
  const parts = [
    say.devices(Load.Devices),
    devices !== undefined && devices.Down > 0 ? say.down(devices.Down) : '',
    devices !== undefined && devices.Unknown > 0 ? say.unknown(devices.Unknown) : '',
    anchorWords(location),
    OfflineReason ?? '',
  ];
  return (
    <tr class={css['location']}>
      <th scope="rowgroup">
        <Icon name={Online ? 'Up' : 'Offline'} {...(Online ? {} : { word: deviceWords.states.Offline })} />
        <a href={`/locations/${location_id}`}>
          <bdi>{Name}</bdi>
        </a>
      </th>
      <td class={Online ? undefined : css['offline']}>
        <LocationState location={location} agents={agents} />
      </td>
      <td colSpan={6} class="mute">
        {parts.filter((part) => part !== '').join(' · ')}
      </td>
    </tr>
  );
}

function Shown({ isOut, children }: { readonly isOut: boolean; readonly children: ComponentChildren }) {
  return <span class={isOut ? css['out'] : undefined}>{children}</span>;
}

/** The name of an agent; of its host, if it has none. */
export function AgentName({
  agent: { Name, HostName },
}: {
  readonly agent: Pick<Agent, 'Name' | 'HostName'>;
}) {
  if (Name === '' && HostName === null) return <>{say.nameless}</>;
  return <bdi>{Name === '' ? HostName : Name}</bdi>;
}

function AgentRow({
  agent,
  isChosen,
  onChoose,
}: {
  readonly agent: Agent;
  readonly isChosen: boolean;
  /** Undefined: the session changes no agent. */
  readonly onChoose: (() => void) | undefined;
}) {
  const { columns } = say;
  const out: ReadonlySet<Figure> = figuresOut(agent, now.value);
  const isReporting = hasReports(agent);
  const { Upgrade, Version, CertificateEnd } = agent;
  const isMoving = Upgrade !== null && Upgrade.State !== 'Done';
  return (
    <tr class={css['agent']}>
      <th scope="row">
        {onChoose !== undefined && (
          <input
            type="checkbox"
            class={selectionCss['agentCheck']}
            aria-label={say.selectAgent(agentName(agent))}
            checked={isChosen}
            onChange={onChoose}
          />
        )}
        <a href={`/locations/agents/${agent.agent_id}`}>
          <AgentName agent={agent} />
        </a>
      </th>
      <td>
        <AgentState agent={agent} />
      </td>
      <td class={css['load']}>
        {Version === null ? none : <LoadBar load={agent.Load} capacity={agent.Capacity} />}
      </td>
      <td class="num" data-label={columns.late}>
        <Shown isOut={out.has('late')}>{isReporting ? milliseconds(agent.Lateness.p99) : none}</Shown>
      </td>
      <td class="num" data-label={columns.backlog}>
        <Shown isOut={out.has('backlog')}>
          {isReporting ? count(agent.Backlog) : Version === null ? none : say.backlogUnknown}
        </Shown>
      </td>
      <td class="num" data-label={columns.clock}>
        <Shown isOut={out.has('clock')}>{isReporting ? say.offset(agent.ClockOffset) : none}</Shown>
      </td>
      <td data-label={columns.version} title={Upgrade?.Reason ?? undefined}>
        {Version ?? none}
        {isMoving && ` → ${say.upgrade(Upgrade.Version, say.upgradeStates[Upgrade.State])}`}
      </td>
      <td data-label={columns.certificate}>
        <Shown isOut={out.has('certificate')}>
          {CertificateEnd === null ? (
            none
          ) : (
            <time class={css['date']} dateTime={CertificateEnd} title={exactTime(CertificateEnd)}>
              {CertificateEnd.slice(0, 10)}
            </time>
          )}
        </Shown>
      </td>
    </tr>
  );
}

/** A Location and its agents. */
export function FleetRows({
  group: { location, agents },
  own,
  devices,
  selected,
  onChoose,
}: {
  readonly group: FleetGroup<Agent, Location>;
  /** All agents of the Location, also those that the filter leaves out. */
  readonly own: readonly Agent[];
  readonly devices: Schemas['SummaryOfLocation'] | undefined;
  readonly selected: ReadonlySet<string>;
  readonly onChoose: ((agent_id: string) => void) | undefined;
}) {
  return (
    <tbody>
      <LocationRow location={location} agents={own} devices={devices} />
      {agents.map((agent) => (
        <AgentRow
          key={agent.agent_id}
          agent={agent}
          isChosen={selected.has(agent.agent_id)}
          onChoose={onChoose === undefined ? undefined : () => onChoose(agent.agent_id)}
        />
      ))}
    </tbody>
  );
}
