import { weekdayOf } from './zoned.ts';

/** The API's names of the days, Monday first. */
export const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
export type DayName = (typeof weekdays)[number];

const dayMinutes = 1_440;
export const weekMinutes = 7 * dayMinutes;

/** The hours in which a step may notify. No days means all days; '' is midnight. */
export interface Hours {
  readonly days: readonly DayName[];
  readonly from: string;
  readonly to: string;
}

/** Minutes since Monday 00:00, without the end. */
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
 * The spans of a week in which a step may notify, in order; adjacent spans are joined. Hours past midnight belong to
 * the day on which they start, and those of Sunday continue at the start of the week.
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
