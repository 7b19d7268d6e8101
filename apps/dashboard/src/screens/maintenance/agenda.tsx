import { dayMs } from '@vantage/domain/units';
import { itemsOn } from '../../model/calendar.ts';
import { wallTime } from '../../model/zoned.ts';
import { Icon } from '../../parts/icon.tsx';
import { now, zone } from '../../store/clock.ts';
import type { CalendarWindow } from '../../store/maintenance-calendar.ts';
import css from './maintenance.module.css';
import { maintenanceTexts } from './maintenance-texts.ts';
import { dayHeadWords, stageOf, timesWords, windowTitle } from './window-words.ts';

const say = maintenanceTexts;

/** Whether a list shows a window on a date: on the day of its start, and on each day of a long one. */
function isListed({ fromMs, toMs }: CalendarWindow, date: string, first: string | undefined): boolean {
  return date === first || toMs - fromMs >= dayMs || wallTime(zone.value, fromMs).slice(0, 10) === date;
}

const icons = { past: 'Other', running: 'Maint', planned: 'Planned' } as const;

function AgendaLine({
  window,
  onOpen,
}: {
  readonly window: CalendarWindow;
  readonly onOpen: (window: CalendarWindow) => void;
}) {
  const stage = stageOf(window, now.value);
  return (
    <button type="button" class={css['line']} onClick={() => onOpen(window)}>
      <Icon name={icons[stage]} word={say.stages[stage]} />
      <span>
        <bdi>{windowTitle(window)}</bdi>{' '}
        <span class="mute">
          {timesWords(window)}
          {window.row !== undefined && `, ${say.devices(window.row.DeviceCount)}`}
        </span>
      </span>
    </button>
  );
}

/** The windows of each day as a list. Days without windows are left out; in a month they are empty cells. */
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
        const items = itemsOn(windows, date, zone.value).filter((item) => isListed(item, date, dates[0]));
        const isOther = month !== undefined && !date.startsWith(month);
        return (
          <li
            key={date}
            class={`${items.length === 0 ? css['emptyDay'] : ''} ${isOther ? css['otherMonth'] : ''}`}
          >
            <h3 class={`${css['dayHead']} ${date === today ? css['todayHead'] : ''}`}>
              {dayHeadWords(date)}
            </h3>
            {items.map((item) => (
              <AgendaLine
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
