import { dayMs } from '@vantage/domain/units';
import { dateAfter, instantOf, wallTime, weekdayOf } from './zoned.ts';

/** A span in milliseconds since 1970, without its end. */
export interface CalendarSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The part of a span that lies in one day, in minutes of the local clock. Lanes are side by side. */
export interface DayPiece<Item extends CalendarSpan> {
  readonly item: Item;
  readonly fromMinute: number;
  readonly toMinute: number;
  readonly lane: number;
  readonly lanes: number;
}

export type CalendarView = 'day' | 'week' | 'month';

const dayMinutes = 1_440;
/** A shorter piece would be too small to read. */
const minMinutes = 45;

/** The days that a view shows around a date. A month is shown in whole weeks. */
export function datesOf(view: CalendarView, date: string): readonly string[] {
  const count = (first: string, days: number) =>
    Array.from({ length: days }, (_, at) => dateAfter(first, at));
  if (view === 'day') return [date];
  if (view === 'week') return count(dateAfter(date, -weekdayOf(date)), 7);
  const first = `${date.slice(0, 8)}01`;
  const begin = dateAfter(first, -weekdayOf(first));
  const next = nextMonth(first);
  const last = dateAfter(next, -1);
  const days = (Date.parse(last) - Date.parse(begin)) / dayMs + 1;
  return count(begin, Math.ceil(days / 7) * 7);
}

function nextMonth(first: string): string {
  return `${dateAfter(first, 31).slice(0, 8)}01`;
}

/** The date of the next (1) or the previous (-1) view. */
export function stepDate(view: CalendarView, date: string, by: 1 | -1): string {
  if (view !== 'month') return dateAfter(date, view === 'day' ? by : 7 * by);
  const first = `${date.slice(0, 8)}01`;
  return by === 1 ? nextMonth(first) : `${dateAfter(first, -1).slice(0, 8)}01`;
}

/** The pieces of `items` on a date, in the order of their start. Pieces in the same lane do not overlap. */
export function piecesOf<Item extends CalendarSpan>(
  items: readonly Item[],
  date: string,
  zone: string,
): readonly DayPiece<Item>[] {
  const beginMs = instantOf(zone, `${date}T00:00`);
  const endMs = instantOf(zone, `${dateAfter(date, 1)}T00:00`);
  const minuteOf = (ms: number) => {
    const wall = wallTime(zone, ms);
    return Number(wall.slice(11, 13)) * 60 + Number(wall.slice(14, 16));
  };
  const cut = items
    .filter(({ fromMs, toMs }) => fromMs < endMs && toMs > beginMs)
    .map((item) => {
      const from = item.fromMs <= beginMs ? 0 : minuteOf(item.fromMs);
      const fromMinute = Math.min(from, dayMinutes - minMinutes);
      const to = item.toMs >= endMs ? dayMinutes : minuteOf(item.toMs);
      // When the clocks go back, the local end of a span may be before its local start.
      return { item, fromMinute, toMinute: Math.max(to, fromMinute + minMinutes) };
    })
    .sort((a, b) => a.fromMinute - b.fromMinute || b.toMinute - a.toMinute);
  return inLanes(cut);
}

function inLanes<Part extends { readonly fromMinute: number; readonly toMinute: number }>(
  parts: readonly Part[],
): readonly (Part & { readonly lane: number; readonly lanes: number })[] {
  const placed: (Part & { readonly lane: number; lanes: number })[] = [];
  let ends: number[] = [];
  let group: typeof placed = [];
  for (const part of parts) {
    if (ends.every((end) => end <= part.fromMinute)) {
      ends = [];
      group = [];
    }
    const free = ends.findIndex((end) => end <= part.fromMinute);
    const lane = free < 0 ? ends.length : free;
    ends[lane] = part.toMinute;
    const piece = { ...part, lane, lanes: ends.length };
    group.push(piece);
    for (const member of group) member.lanes = ends.length;
    placed.push(piece);
  }
  return placed;
}
