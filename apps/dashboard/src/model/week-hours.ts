import { weekdayOf } from './zoned.ts';

/** Days of the week as the API names them, Monday first. */
export const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
export type Weekday = (typeof weekdays)[number];

const dayMinutes = 1_440;
export const weekMinutes = 7 * dayMinutes;

/** When a step may notify: no days are all days, '' is midnight. */
export interface Hours {
  readonly days: readonly Weekday[];
  readonly from: string;
  readonly to: string;
}

/** Minutes since Monday 00:00, the end not included. */
interface WeekSpan {
  readonly from: number;
  readonly to: number;
}

const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

/** The minute of the week of a local time: `2026-03-29T03:10`. */
export function weekMinuteOf(wall: string): number {
  return weekdayOf(wall.slice(0, 10)) * dayMinutes + minutesOf(wall.slice(11));
}

/**
 * The spans of a week in which a step may notify, in their order; touching ones are one. Hours past midnight belong to
 * the day on which they begin, and those of Sunday go on at the begin of the week.
 */
export function weekSpans({ days, from, to }: Hours): readonly WeekSpan[] {
  const begin = from === '' ? 0 : minutesOf(from);
  const end = to === '' ? dayMinutes : minutesOf(to);
  const length = end > begin ? end - begin : end + dayMinutes - begin;
  const cut = weekdays.flatMap((day, at): WeekSpan[] => {
    if (days.length > 0 && !days.includes(day)) return [];
    const first = at * dayMinutes + begin;
    const last = first + length;
    return last <= weekMinutes
      ? [{ from: first, to: last }]
      : [
          { from: first, to: weekMinutes },
          { from: 0, to: last - weekMinutes },
        ];
  });
  const joined: WeekSpan[] = [];
  for (const span of cut.sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last === undefined || span.from > last.to) joined.push(span);
    else joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
  }
  return joined;
}
