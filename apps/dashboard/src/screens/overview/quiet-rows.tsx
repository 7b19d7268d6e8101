import type { State } from '../../model/state.ts';
import { troubledToday } from '../../model/troubled.ts';
import { markOf as markOfAlert, subjectOf } from '../../parts/alert-subject.ts';
import { DayBar } from '../../parts/day-bar.tsx';
import { Mark, type MarkName } from '../../parts/mark.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { Moment, Since } from '../../parts/time.tsx';
import { useRead } from '../../parts/use-read.ts';
import { devices, type Event, events, locations, results, rows } from '../../store/account-state.ts';
import { alerts, isSuppressed } from '../../store/alerts.ts';
import { readOutageCounts } from '../../store/outage-counts.ts';
import { texts } from '../../texts/index.ts';
import css from './overview.module.css';

const say = texts.overview;
const most = 8;

/** Locations without an agent. */
export function LocationRows() {
  const offline = locations.value.filter(({ Online }) => !Online);
  if (offline.length === 0) return null;
  return (
    <section class="section">
      <h2>{say.notObserved}</h2>
      <ul class={css['list']}>
        {offline.slice(0, most).map(({ location_id, Name, OfflineReason }) => (
          <li key={location_id} class={css['row']}>
            <Mark name="Offline" word={texts.states.Offline} />
            <a class={css['name']} href="/locations">
              <bdi>{Name}</bdi>
            </a>
            <span class={css['fact']}>{OfflineReason ?? say.noAgent}</span>
          </li>
        ))}
      </ul>
      {offline.length > most && (
        <p class="hint">
          <a class="link" href="/locations">
            {say.showAll(offline.length)}
          </a>
        </p>
      )}
    </section>
  );
}

/** Alerts about a state that other rows show. */
const shownElsewhere: ReadonlySet<string> = new Set(['device.down', 'device.partial', 'location.offline']);

/** Open alerts of other kinds, also those about Vantage itself. */
export function AlertRows() {
  const found = alerts.value.filter(
    (alert) => alert.State === 'Open' && !isSuppressed(alert) && !shownElsewhere.has(alert.Kind),
  );
  if (found.length === 0) return null;
  return (
    <section class="section">
      <h2>{say.otherAlerts}</h2>
      <ul class={css['list']}>
        {found.slice(0, most).map((alert) => (
          <li key={alert.alert_id} class={css['row']}>
            <Mark name={markOfAlert(alert)} />
            <a class={css['name']} href={`/alerts/${alert.alert_id}`}>
              <bdi>{subjectOf(alert) || texts.name}</bdi>
            </a>
            <span class={css['fact']}>
              {[texts.alerts.kinds[alert.Kind], alert.Reason ?? alert.CheckResult]
                .filter((part) => part !== null)
                .join(': ')}
            </span>
            <span class={css['age']}>
              <Since at={alert.Since} />
            </span>
          </li>
        ))}
      </ul>
      {found.length > most && (
        <p class="hint">
          <a class="link" href="/alerts">
            {say.showAll(found.length)}
          </a>
        </p>
      )}
    </section>
  );
}

/** Devices in one of these states. */
export function StateRows({ title, states }: { readonly title: string; readonly states: readonly State[] }) {
  const found = rows.value.filter(({ state }) => states.includes(state));
  if (found.length === 0) return null;
  return (
    <section class="section">
      <h2>{title}</h2>
      <ul class={css['list']}>
        {found.slice(0, most).map((row) => (
          <li key={row.id} class={css['row']}>
            <Mark name={row.state} word={texts.states[row.state]} />
            <a class={css['name']} href={`/devices/${row.id}`}>
              <bdi>{row.name}</bdi>
            </a>
            <span class={css['fact']}>
              {row.maintenanceUntil === null ? (
                results.value.get(row.id)
              ) : (
                <>
                  {say.until('')}
                  <Moment at={row.maintenanceUntil} />
                </>
              )}
            </span>
            <span class={css['age']}>
              <Since at={row.sinceMs} />
            </span>
          </li>
        ))}
      </ul>
      {found.length > most && (
        <p class="hint">
          <a
            class="link"
            href={`/devices?q=${states.map((state) => `status:${state.toLowerCase()}`).join('%20')}`}
          >
            {say.showAll(found.length)}
          </a>
        </p>
      )}
    </section>
  );
}

/** Devices that are well again, and were Down in the last 24 hours. */
export function TroubledRows() {
  const found = troubledToday(rows.value);
  const shown = found.slice(0, most);
  const ids = shown.map(({ id }) => id);
  // Each outage changes since when a device is Up.
  const changed = shown.map(({ id, sinceMs }) => `${id}${sinceMs}`).join();
  const read = useRead(() => readOutageCounts(ids), [], [changed]);
  const { data: outages } = read;
  if (found.length === 0) return null;
  return (
    <section class="section">
      <h2>{say.troubled}</h2>
      <ReadState read={read} rows={0} />
      <ul class={css['list']}>
        {shown.map((row) => {
          const times = outages?.get(row.id) ?? 0;
          return (
            <li key={row.id} class={css['row']}>
              <Mark name={row.state} word={texts.states[row.state]} />
              <a class={css['name']} href={`/devices/${row.id}`}>
                <bdi>{row.name}</bdi>
              </a>
              <DayBar row={row} />
              <span class={css['age']}>{times > 0 && say.timesDown(times)}</span>
            </li>
          );
        })}
      </ul>
      {found.length > most && <p class="hint">{say.more(found.length - most)}</p>}
    </section>
  );
}

/** The mark of an event: what the device, or the Location, is after it. */
function markOf({ Type, Status }: Event): MarkName {
  if (Type === 'Error') return 'Retrying';
  if (Type === 'Partial') return 'Partial';
  if (Type === 'LocationOffline') return 'Offline';
  if (Type === 'AlertFailed') return 'Failed';
  if (/^(Down|Up|Unknown|Maint|Recovered|LocationOnline)/.test(Type)) return Status;
  return 'Other';
}

/** Decisions about alerts stand beside their causes, and changes by people in the audit. */
const isTold = ({ Type }: Event) => !/^(Alert|AlertSuppressed|Created|Changed)$/.test(Type);

/** The latest events. */
export function EventRows() {
  const told = events.value.filter(isTold);
  return (
    <section class="section">
      <h2>{say.events}</h2>
      {told.length === 0 && <p class="mute">{say.noEvents}</p>}
      <ol class={css['list']}>
        {told.slice(0, 12).map((event) => {
          const device = event.device_id === null ? undefined : devices.value.get(event.device_id);
          return (
            <li key={event.event_id} class={css['event']}>
              <Moment at={event.Timestamp} />
              <Mark name={markOf(event)} />
              {device === undefined ? (
                <span class={css['name']}>
                  <bdi>{event.Location ?? ''}</bdi>
                </span>
              ) : (
                <a class={css['name']} href={`/devices/${device.id}`}>
                  <bdi>{device.name}</bdi>
                </a>
              )}
              <span class={css['fact']} title={event.Message}>
                {event.Message}
              </span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
