import { rowFactsOf } from '../../model/row-facts.ts';
import type { DeviceState } from '../../model/state.ts';
import { troubledToday } from '../../model/troubled.ts';
import { iconOf as iconOfAlert, predicateOf, subjectOf } from '../../parts/alert-subject.ts';
import { DayBar } from '../../parts/day-bar.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { Moment, Since } from '../../parts/time.tsx';
import { useRead } from '../../parts/use-read.ts';
import { events, locations, results, rows } from '../../store/account-state.ts';
import { alerts, isSuppressed } from '../../store/alerts.ts';
import { readOutageCounts } from '../../store/outage-counts.ts';
import { andMore } from '../../texts/counted.ts';
import { deviceWords } from '../../texts/device-words.ts';
import { frameTexts } from '../../texts/frame-texts.ts';
import css from './overview.module.css';
import { overviewTexts } from './overview-texts.ts';

const say = overviewTexts;
const maxRows = 8;

/** The title of a section, with a link to all of it. */
function SectionTitle({
  children,
  href,
  words,
}: {
  readonly children: string;
  readonly href: string;
  readonly words: string;
}) {
  return (
    <div class={css['title']}>
      <h2>{children}</h2>
      <a class="link" href={href}>
        {words}
      </a>
    </div>
  );
}

/** The times above the bars of a list. */
function BarAxis() {
  return (
    <div class={css['axisRow']} aria-hidden="true">
      <span class={css['axis']}>
        {say.axis.map((time) => (
          <span key={time}>{time}</span>
        ))}
      </span>
    </div>
  );
}

/** The devices of an offline Location that are not observed, in words. */
function unknownAt(name: string): readonly string[] {
  const found = rows.value.filter(({ state, locations: own }) => state === 'Unknown' && own.includes(name));
  return found.length === 0 ? [] : [say.unknownBehind(found.length)];
}

/** How long a Location is offline, by its alert. */
function sinceOf(id: string) {
  const alert = alerts.value.find(
    ({ location_id, Kind }) => location_id === id && Kind === 'location.offline',
  );
  return alert !== undefined && <Since at={alert.Since} />;
}

/** Locations without an agent. */
export function LocationRows() {
  const offline = locations.value.filter(({ Online }) => !Online);
  if (offline.length === 0) return null;
  return (
    <section class="section">
      <h2>{say.notObserved}</h2>
      <ul class={css['list']}>
        {offline.slice(0, maxRows).map(({ location_id, Name, OfflineReason }) => (
          <li key={location_id} class={`${css['row']} tapRow`}>
            <Icon name="Offline" word={deviceWords.states.Offline} />
            <a class={css['name']} href="/locations">
              <bdi>{Name}</bdi>
            </a>
            <span class={css['fact']}>
              {[OfflineReason ?? deviceWords.noAgent, ...unknownAt(Name)].join('; ')}
            </span>
            <span class={css['age']}>{sinceOf(location_id)}</span>
          </li>
        ))}
      </ul>
      {offline.length > maxRows && (
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
        {found.slice(0, maxRows).map((alert) => (
          <li key={alert.alert_id} class={`${css['row']} tapRow`}>
            <Icon name={iconOfAlert(alert)} />
            <a class={css['name']} href={`/alerts/${alert.alert_id}`}>
              <bdi>{subjectOf(alert) || frameTexts.name}</bdi>
            </a>
            <span class={css['fact']}>
              {[predicateOf(alert), alert.Reason ?? alert.CheckResult]
                .filter((part) => part !== null)
                .join(': ')}
            </span>
            <span class={css['age']}>
              <Since at={alert.Since} />
            </span>
          </li>
        ))}
      </ul>
      {found.length > maxRows && (
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
export function StateRows({
  title,
  states,
}: {
  readonly title: string;
  readonly states: readonly DeviceState[];
}) {
  const found = rows.value.filter(({ state }) => states.includes(state));
  if (found.length === 0) return null;
  const hasBars = states.includes('Maint');
  return (
    <section class="section">
      <SectionTitle
        href={`/devices?q=${states.map((state) => `status:${state.toLowerCase()}`).join('%20')}`}
        words={say.inAll(found.length)}
      >
        {title}
      </SectionTitle>
      {hasBars && <BarAxis />}
      <ul class={css['list']}>
        {found.slice(0, maxRows).map((row) => {
          const facts = rowFactsOf(row, {
            alerts: alerts.value,
            events: events.value,
            locations: locations.value,
            result: results.value.get(row.id),
          });
          return (
            <li key={row.id} class={`${css['row']} ${hasBars ? css['barred'] : ''} tapRow`}>
              <Icon name={row.state} word={deviceWords.states[row.state]} />
              <a class={css['name']} href={`/devices/${row.id}`}>
                <bdi>{row.name}</bdi>
              </a>
              <span class={css['fact']}>
                {row.maintenanceUntil === null ? (
                  facts.offline.length > 0 ? (
                    say.offline(facts.offline)
                  ) : (
                    facts.result
                  )
                ) : (
                  <>
                    {say.until} <Moment at={row.maintenanceUntil} />
                  </>
                )}
              </span>
              {hasBars && <DayBar row={row} />}
              <span class={css['age']}>{facts.since !== undefined && <Since at={facts.since} />}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Devices that are well again, and were Down in the last 24 hours. */
export function TroubledRows() {
  const found = troubledToday(rows.value);
  const shown = found.slice(0, maxRows);
  const ids = shown.map(({ id }) => id);
  // Each outage changes since when a device is Up.
  const changed = shown.map(({ id, sinceMs }) => `${id}${sinceMs}`).join();
  const read = useRead(() => readOutageCounts(ids), [], [changed]);
  const { data: outages } = read;
  if (found.length === 0) return null;
  return (
    <section class="section">
      <SectionTitle href="/outages?span=1" words={say.dayOutages}>
        {say.troubled}
      </SectionTitle>
      <ReadState read={read} rows={0} />
      <BarAxis />
      <ul class={css['list']}>
        {shown.map((row) => {
          const times = outages?.get(row.id) ?? 0;
          return (
            <li key={row.id} class={`${css['row']} ${css['barred']} tapRow`}>
              <Icon name={row.state} word={deviceWords.states[row.state]} />
              <a class={css['name']} href={`/devices/${row.id}`}>
                <bdi>{row.name}</bdi>
              </a>
              <span class={css['fact']}>{results.value.get(row.id)}</span>
              <DayBar row={row} />
              <span class={css['age']}>{times > 0 && say.timesDown(times)}</span>
            </li>
          );
        })}
      </ul>
      {found.length > maxRows && (
        <p class="hint">
          <a class="link" href="/outages?span=1">
            {andMore(found.length - maxRows)}
          </a>
        </p>
      )}
    </section>
  );
}
