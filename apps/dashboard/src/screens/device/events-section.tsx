import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import { ButtonChoice } from '../../parts/button-choice.tsx';
import { iconOfEvent } from '../../parts/event-icon.ts';
import { Flag } from '../../parts/flag.tsx';
import { Icon } from '../../parts/icon.tsx';
import { OlderButton } from '../../parts/older-button.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { Moment } from '../../parts/time.tsx';
import { usePages } from '../../parts/use-pages.ts';
import { api, takeAnswer } from '../../store/api.ts';
import css from './device.module.css';
import { deviceTexts as say } from './device-texts.ts';
import type { DeviceRange } from './range.ts';
import { timestampsOf } from './read-axis.ts';

type Event = Schemas['Event'];
const pageSize = 20;
const views = {
  all: undefined,
  status: 'Down,Up,Unknown,Partial',
  errors: 'Error,Recovered',
  maintenance: 'MaintStart,MaintEnd',
} as const;
type View = keyof typeof views;
const names: readonly View[] = ['all', 'status', 'errors', 'maintenance'];

/** The events of a device, newest first. */
export function EventsSection({
  deviceId,
  range: { chosen, span },
  newest,
}: {
  readonly deviceId: string;
  readonly range: DeviceRange;
  readonly newest: string | undefined;
}) {
  const [view, setView] = useState<View>('all');
  const [isOfRange, setOfRange] = useState(false);
  const Type = views[view];
  const list = usePages<Event>(
    (before) => {
      const query = {
        Limit: pageSize,
        ...(Type === undefined ? {} : { Type }),
        ...(isOfRange ? timestampsOf(span) : {}),
        ...(before === undefined ? {} : { Before: before }),
      };
      return takeAnswer(
        api.GET('/devices/{device_id}/events', { params: { path: { device_id: deviceId }, query } }),
      );
    },
    {
      key: `${deviceId} ${view} ${isOfRange ? JSON.stringify(chosen) : ''}`,
      idOf: ({ event_id }) => event_id,
      triggers: [newest, isOfRange ? span.from : 0],
    },
  );
  return (
    <section class="section">
      <div class={css['bar']}>
        <h2>{say.eventsHead}</h2>
        <ButtonChoice names={names} words={say.eventViews} chosen={view} onChoose={setView} />
        <Flag isOn={isOfRange} set={setOfRange}>
          {say.ofRange}
        </Flag>
      </div>
      <ReadState read={list.first} rows={2} />
      {list.rows?.length === 0 && <p class="mute">{say.noEvents}</p>}
      <ul class={css['facts']}>
        {list.rows?.map((event) => (
          <li key={event.event_id}>
            <Moment at={event.Timestamp} />
            <Icon name={iconOfEvent(event)} />
            <span>
              {event.Message === '' ? event.Type : event.Message}
              {event.Location !== null && <span class="mute"> · {event.Location}</span>}
            </span>
          </li>
        ))}
      </ul>
      <OlderButton list={list} />
    </section>
  );
}
