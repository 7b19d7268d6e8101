import { Icon } from '../../parts/icon.tsx';
import { Moment } from '../../parts/time.tsx';
import { AgentName, AgentState, LocationState } from './fleet-rows.tsx';
import { LoadBar } from './load-bar.tsx';
import { locationTexts as say } from './location-texts.ts';
import css from './locations.module.css';
import { locationsTexts } from './locations-texts.ts';
import type { OpenedLocation } from './opened-location.ts';

/** The state of a Location and of its anchors. */
export function LocationFacts({
  opened: { location, agents, devices, schedules, isDefault },
}: {
  readonly opened: OpenedLocation;
}) {
  const { Name, Load, OfflineReason, AnchorStates, Anchors, nschedule_id, CreatedAt, ExternalKey, Source } =
    location;
  const schedule = schedules?.find((each) => each.nschedule_id === nschedule_id);
  const query = encodeURIComponent(`location:"${Name}"`);
  return (
    <dl class={css['facts']}>
      <dt>{say.state}</dt>
      <dd>
        <Icon name={location.Online ? 'Up' : 'Offline'} />{' '}
        <span class={location.Online ? undefined : css['offline']}>
          <LocationState location={location} agents={agents} />
        </span>
        {OfflineReason !== null && <span class="mute"> {OfflineReason}</span>}
      </dd>
      <dt>{say.load}</dt>
      <dd>
        <LoadBar load={Load.ChecksPerMinute} capacity={Load.Capacity} />
      </dd>
      <dt>{say.devices}</dt>
      <dd>
        {Load.Devices === 0 ? (
          say.devicesOnly(0)
        ) : (
          <a class="link" href={`/devices?q=${query}`}>
            {say.devicesOnly(Load.Devices)}
          </a>
        )}
        {devices !== undefined && devices.Down > 0 && ` · ${locationsTexts.down(devices.Down)}`}
        {devices !== undefined && devices.Unknown > 0 && ` · ${locationsTexts.unknown(devices.Unknown)}`}
      </dd>
      <dt>{say.anchors}</dt>
      <dd>
        {AnchorStates.length === 0 && say.noAnchors}
        <ul>
          {AnchorStates.map(({ Name: anchor, State, Reason }) => (
            <li key={anchor}>
              <Icon name={State} /> <bdi>{anchor}</bdi>{' '}
              <span class="mute">
                {[State, Anchors.find(({ Name: name }) => name === anchor)?.Target, Reason]
                  .filter((part) => part !== null && part !== undefined)
                  .join(' · ')}
              </span>
            </li>
          ))}
        </ul>
      </dd>
      <dt>{say.notified}</dt>
      <dd>
        {nschedule_id === null ? (
          say.accountSchedule
        ) : (
          <a class="link" href={`/schedules/${nschedule_id}`}>
            <bdi>{schedule?.Name ?? say.unknownSchedule}</bdi>
          </a>
        )}
      </dd>
      <dt>{say.depends}</dt>
      <dd>
        <ul>
          {Load.Devices > 0 && <li>{say.devicesOnly(Load.Devices)}</li>}
          {agents.length > 0 && <li>{say.agentsOf(agents.length)}</li>}
          {isDefault && (
            <li>
              {say.isDefault}{' '}
              <a class="link" href="/account">
                {say.changeDefault}
              </a>
            </li>
          )}
        </ul>
        {Load.Devices === 0 && agents.length === 0 && !isDefault ? say.dependsNothing : ''}
      </dd>
      {(ExternalKey !== null || Source !== null) && (
        <>
          <dt>{say.identity}</dt>
          <dd>{[ExternalKey, Source].filter((text) => text !== null).join(' · ')}</dd>
        </>
      )}
      <dt>{say.created}</dt>
      <dd>
        <Moment at={CreatedAt} />
      </dd>
    </dl>
  );
}

/** The agents of a Location. */
export function LocationAgents({ agents }: Pick<OpenedLocation, 'agents'>) {
  return (
    <>
      {agents.length === 0 && <p class="mute">{say.noAgents}</p>}
      <ul class={css['rows']}>
        {agents.map((agent) => (
          <li key={agent.agent_id} class={css['event']}>
            <a class="link" href={`/locations/agents/${agent.agent_id}`}>
              <AgentName agent={agent} />
            </a>
            <span>
              <AgentState agent={agent} /> <span class="mute">{agent.Version}</span>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The latest events of a Location and its agents. */
export function LocationEvents({ events }: Pick<OpenedLocation, 'events'>) {
  return (
    <>
      {events.length === 0 && <p class="mute">{say.noEvents}</p>}
      <ol class={css['rows']}>
        {events.map((event) => (
          <li key={event.event_id} class={css['event']}>
            <Moment at={event.Timestamp} />
            <span>
              {event.device_id !== null && (
                <>
                  <a class="link clampName" href={`/devices/${event.device_id}`}>
                    <bdi>{event.FullName ?? event.ShortName}</bdi>
                  </a>{' '}
                </>
              )}
              {event.Message}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}
