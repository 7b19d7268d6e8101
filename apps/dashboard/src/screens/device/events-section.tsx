import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import type { TimeSpan } from '../../model/time-range.ts';
import { ButtonChoice } from '../../parts/button-choice.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { Moment } from '../../parts/time.tsx';
import { api, takeAnswer } from '../../store/api.ts';
import css from './device.module.css';
import { deviceTexts as say } from './device-texts.ts';
import { useOlderPages } from './older-pages.ts';
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
  span,
  newest,
}: {
  readonly deviceId: string;
  readonly span: TimeSpan;
  readonly newest: string | undefined;
}) {
  const [view, setView] = useState<View>('all');
  const [isOfRange, setOfRange] = useState(false);
  const Type = views[view];
  const { read, rows, hasMore, more } = useOlderPages<Event>(
    async (before) => {
      const query = {
        Limit: pageSize,
        ...(Type === undefined ? {} : { Type }),
        ...(isOfRange ? timestampsOf(span) : {}),
        ...(before === undefined ? {} : { Before: before.event_id }),
      };
      const { data, hasMore: isCut } = await takeAnswer(
        api.GET('/devices/{device_id}/events', { params: { path: { device_id: deviceId }, query } }),
      );
      return { rows: data, hasMore: isCut };
    },
    [deviceId, view, isOfRange, isOfRange ? span.from : 0],
    [newest],
  );
  return (
    <section class="section">
      <div class={css['bar']}>
        <h2>{say.eventsHead}</h2>
        <ButtonChoice names={names} words={say.eventViews} chosen={view} onChoose={setView} />
        <label class={css['flag']}>
          <input
            type="checkbox"
            checked={isOfRange}
            onChange={({ currentTarget }) => setOfRange(currentTarget.checked)}
          />{' '}
          {say.ofRange}
        </label>
      </div>
      <ReadState read={read} rows={2} />
      {read.data !== undefined && rows.length === 0 && <p class="mute">{say.noEvents}</p>}
      <ul class={css['facts']}>
        {rows.map(({ event_id, Timestamp, Message, Type: type, Location }) => (
          <li key={event_id}>
            <Moment at={Timestamp} />
            <span />
            <span>
              {Message === '' ? type : Message}
              {Location !== null && <span class="mute"> · {Location}</span>}
            </span>
          </li>
        ))}
      </ul>
      {hasMore && (
        <button type="button" class={`button ${css['more']}`} onClick={more}>
          {say.more}
        </button>
      )}
    </section>
  );
}
