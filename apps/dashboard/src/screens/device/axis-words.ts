import { dayMs } from '@vantage/domain/units';
import type { TimeSpan } from '../../model/time-range.ts';
import { wallTime } from '../../model/zoned.ts';

/** The offset of a zone at this time, milliseconds. Pure. */
export function offsetAt(zone: string, ms: number): number {
  return Date.parse(`${wallTime(zone, ms)}Z`) - Math.floor(ms / 60_000) * 60_000;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function partsOf(ms: number, zone: string) {
  const wall = wallTime(zone, ms);
  const day = `${Number(wall.slice(8, 10))} ${months[Number(wall.slice(5, 7)) - 1] ?? ''}`;
  return { time: wall.slice(11, 16), day, year: wall.slice(0, 4), date: wall.slice(0, 10) };
}

/** A moment below the axis: a time, and the date at midnight and in long spans. Pure. */
export function tickWords(ms: number, { from, to }: TimeSpan, zone: string): string {
  const { time, day } = partsOf(ms, zone);
  if (to - from > 3 * dayMs) return day;
  return time === '00:00' ? day : time;
}

/** A moment at the cursor: with its date unless the span is within a day. Pure. */
export function momentWords(ms: number, { from, to }: TimeSpan, zone: string): string {
  const { time, day, year, date } = partsOf(ms, zone);
  const [first, last] = [partsOf(from, zone), partsOf(to, zone)];
  if (first.date === last.date && last.date === date) return time;
  return first.year === last.year ? `${day} ${time}` : `${day} ${year} ${time}`;
}

/** A span in words; `isNow`: it ends now. Pure. */
export function spanWords({ from, to }: TimeSpan, zone: string, nowText: string | undefined): string {
  const [first, last] = [partsOf(from, zone), partsOf(to, zone)];
  const start =
    first.year === last.year ? `${first.day}, ${first.time}` : `${first.day} ${first.year}, ${first.time}`;
  if (nowText !== undefined) return `${start} – ${nowText}`;
  return `${start} – ${first.date === last.date ? last.time : `${last.day}, ${last.time}`}`;
}
