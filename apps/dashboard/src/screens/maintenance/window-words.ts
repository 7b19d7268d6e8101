import { dayMs } from '@vantage/domain/units';
import { clockChangeOf } from '../../model/day-axis.ts';
import { clockTime } from '../../model/format.ts';
import { recurrenceOf } from '../../model/recurrence.ts';
import { wallTime } from '../../model/zoned.ts';
import { today, zone } from '../../store/clock.ts';
import type { CalendarWindow } from '../../store/maintenance-calendar.ts';
import type { Mschedule } from '../../store/maintenance-schedules.ts';
import { maintenanceTexts } from './maintenance-texts.ts';

const say = maintenanceTexts;

/** A date in few words: `Sun 28 Mar`. */
export function dayWords(date: string): string {
  const parts = { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat('en-GB', parts).format(Date.parse(`${date}T00:00Z`)).replace(',', '');
}

/** The head of a day: its date, and its length if it has not 24 hours. */
export function dayHeadWords(date: string): string {
  const change = clockChangeOf(zone.value, date);
  if (change === undefined) return dayWords(date);
  const hours = (change.toMinute - change.fromMinute) / 60;
  return `${dayWords(date)} · ${24 + (change.kind === 'second' ? hours : -hours)}\u00a0h`;
}

export const windowTitle = ({ title }: CalendarWindow): string => title ?? say.untitled;

/** Whether a window is over, runs, or is planned. Pure. */
export function stageOf(
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  nowMs: number,
): 'past' | 'running' | 'planned' {
  if (fromMs > nowMs) return 'planned';
  return toMs > nowMs ? 'running' : 'past';
}

/** The times of a window in the account's zone: `02:00 to 04:00`, with the date unless it is today. */
export function windowSpanWords({
  fromMs,
  toMs,
}: {
  readonly fromMs: number;
  readonly toMs: number;
}): string {
  const textOf = (ms: number) => clockTime(wallTime(zone.value, ms), today.value);
  return say.window.span(textOf(fromMs), textOf(toMs));
}

/** The times of a window in a list of its date: `22:00–01:00`; with dates if it lasts a day or longer. */
export function timesWords(window: { readonly fromMs: number; readonly toMs: number }): string {
  if (window.toMs - window.fromMs >= dayMs) return windowSpanWords(window);
  return [window.fromMs, window.toMs].map((ms) => wallTime(zone.value, ms).slice(11)).join('–');
}

/** The times of a schedule's windows in words: `each Sun at 02:30 for 2 h`. */
export function recurrenceWords({ Start, Duration, Recurrence }: Mschedule): string {
  const { words } = say.recurring;
  const { kind, days, dayOfMonth, rule } = recurrenceOf(Recurrence);
  const recurs = {
    once: `${words.once}, ${Start.slice(0, 10)},`,
    daily: words.daily,
    weekly: words.weekly(days.join(', ')),
    monthly: words.monthly(dayOfMonth),
    rule,
  }[kind];
  return `${recurs} ${words.at(Start.slice(11), Duration)}`;
}
