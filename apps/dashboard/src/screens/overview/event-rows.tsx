import { type EventLine, eventLines } from '../../model/event-lines.ts';
import { briefly } from '../../model/format.ts';
import { iconOfEvent } from '../../parts/event-icon.ts';
import { Icon } from '../../parts/icon.tsx';
import { Moment } from '../../parts/time.tsx';
import { type AccountEvent, devices, events } from '../../store/account-state.ts';
import css from './overview.module.css';
import { overviewTexts as say } from './overview-texts.ts';

/** Decisions about alerts are shown with their causes, and changes by people in the audit. */
const isListed = ({ Type }: AccountEvent) => !/^(Alert|AlertSuppressed|Created|Changed)$/.test(Type);

const maxLines = 12;

/** The sentence of an event. The end of an outage tells how long it was, and why. */
function wordsOf({ event, ended }: EventLine<AccountEvent>): string {
  if (ended === undefined) return event.Message;
  const seconds = (Date.parse(event.Timestamp) - Date.parse(ended.Timestamp)) / 1_000;
  return say.wasDown(briefly(seconds), ended.CheckResult);
}

/** The latest events, one line for each outage. */
export function EventRows() {
  const lines = eventLines(events.value.filter(isListed));
  return (
    <section class="section">
      <div class={css['title']}>
        <h2>{say.events}</h2>
        <a class="link" href="/events">
          {say.allEvents}
        </a>
      </div>
      {lines.length === 0 && <p class="mute">{say.noEvents}</p>}
      <ol class={css['list']}>
        {lines.slice(0, maxLines).map((line) => {
          const { event } = line;
          const device = event.device_id === null ? undefined : devices.value.get(event.device_id);
          return (
            <li key={event.event_id} class={`${css['event']} tapRow`}>
              <Moment at={event.Timestamp} />
              <Icon name={iconOfEvent(event)} />
              {device === undefined ? (
                <span class={css['name']}>
                  <bdi>{event.Location ?? ''}</bdi>
                </span>
              ) : (
                <a class={css['name']} href={`/devices/${device.id}`}>
                  <bdi>{device.name}</bdi>
                </a>
              )}
              <span class={css['fact']} title={wordsOf(line)}>
                {wordsOf(line)}
              </span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
