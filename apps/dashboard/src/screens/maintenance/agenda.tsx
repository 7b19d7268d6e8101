import { dayMs } from '@vantage/domain/units';
import { piecesOf } from '../../model/calendar.ts';
import { wallTime } from '../../model/zoned.ts';
import { Mark } from '../../parts/mark.tsx';
import { now, zone } from '../../store/clock.ts';
import type { CalendarWindow } from '../../store/maintenance.ts';
import { maintenanceTexts } from '../../texts/maintenance.ts';
import css from './maintenance.module.css';
import { dayWords, timesWords, titleOf } from './words.ts';

const say = maintenanceTexts;

/** Whether a list names a window on a date: where it begins, and each day of a long one. */
function isNamed({ fromMs, toMs }: CalendarWindow, date: string, first: string | undefined): boolean {
  return date === first || toMs - fromMs >= dayMs || wallTime(zone.value, fromMs).slice(0, 10) === date;
}

/** A window as a line of a list. */
function Line({
  window,
  onOpen,
}: {
  readonly window: CalendarWindow;
  readonly onOpen: (window: CalendarWindow) => void;
}) {
  const isRunning = window.fromMs <= now.value;
  return (
    <button type="button" class={css['line']} onClick={() => onOpen(window)}>
      <Mark name={isRunning ? 'Maint' : 'Planned'} word={isRunning ? say.running : say.planned} />
      <span>
        <bdi>{titleOf(window)}</bdi>{' '}
        <span class="mute">
          {timesWords(window)}
          {window.row !== undefined && `, ${say.devices(window.row.DeviceCount)}`}
        </span>
      </span>
    </button>
  );
}

/** The windows of each day as a list; days without one are left out, or in a month are empty cells. */
export function Agenda({
  dates,
  today,
  windows,
  month,
  onOpen,
}: {
  readonly dates: readonly string[];
  readonly today: string;
  readonly windows: readonly CalendarWindow[];
  /** The month of a grid of weeks, `2027-03`; undefined: a plain list. */
  readonly month?: string;
  readonly onOpen: (window: CalendarWindow) => void;
}) {
  return (
    <ol class={month === undefined ? css['agenda'] : css['month']}>
      {dates.map((date) => {
        const pieces = piecesOf(windows, date, zone.value).filter(({ item }) =>
          isNamed(item, date, dates[0]),
        );
        const isOther = month !== undefined && !date.startsWith(month);
        return (
          <li
            key={date}
            class={`${pieces.length === 0 ? css['emptyDay'] : ''} ${isOther ? css['otherMonth'] : ''}`}
          >
            <h3 class={`${css['dayHead']} ${date === today ? css['todayHead'] : ''}`}>{dayWords(date)}</h3>
            {pieces.map(({ item }) => (
              <Line
                key={`${item.fromMs}${item.row?.maintenance_id ?? item.schedule?.mschedule_id}`}
                window={item}
                onOpen={onOpen}
              />
            ))}
          </li>
        );
      })}
    </ol>
  );
}
