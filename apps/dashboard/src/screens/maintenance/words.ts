import { dayMs } from '@vantage/domain/units';
import { clockTime } from '../../model/format.ts';
import { recurrenceOf } from '../../model/recurrence.ts';
import { wallTime } from '../../model/zoned.ts';
import { today, zone } from '../../store/clock.ts';
import type { CalendarWindow, Mschedule } from '../../store/maintenance.ts';
import { maintenanceTexts } from '../../texts/maintenance.ts';

const say = maintenanceTexts;

/** A date in few words: `Sun 28 Mar`. */
export function dayWords(date: string): string {
  const parts = { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat('en-GB', parts).format(Date.parse(`${date}T00:00Z`)).replace(',', '');
}

export const titleOf = ({ title }: CalendarWindow): string => title ?? say.untitled;

/** The times of a window on the clocks of the account: `02:00 to 04:00`, with dates that are not today. */
export function spanWords({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }): string {
  const textOf = (ms: number) => clockTime(wallTime(zone.value, ms), today.value);
  return say.window.span(textOf(fromMs), textOf(toMs));
}

/** The times of a window that a list names under its date: `22:00–01:00`; with dates where it lasts a day and more. */
export function timesWords(window: { readonly fromMs: number; readonly toMs: number }): string {
  if (window.toMs - window.fromMs >= dayMs) return spanWords(window);
  return [window.fromMs, window.toMs].map((ms) => wallTime(zone.value, ms).slice(11)).join('–');
}

/** When the windows of a schedule are, in words: `each Sun at 02:30 for 2 h`. */
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
