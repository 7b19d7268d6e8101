import { dayMs } from '@vantage/domain/units';
import { type DayAxis, positionAt } from './day-axis.ts';
import { dateAfter, instantOf, weekdayOf } from './zoned.ts';

/** A span in milliseconds since 1970, without its end. */
export interface CalendarSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The part of a span that lies in one day, as positions on its axis. Lanes are side by side. */
export interface DayPiece<Item extends CalendarSpan> {
  readonly item: Item;
  readonly from: number;
  readonly to: number;
  readonly lane: number;
  readonly lanes: number;
}

export type CalendarView = 'day' | 'week' | 'month';

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

/** The items of a date, in the order of their start. */
export function itemsOn<Item extends CalendarSpan>(
  items: readonly Item[],
  date: string,
  zone: string,
): readonly Item[] {
  const beginMs = instantOf(zone, `${date}T00:00`);
  const endMs = instantOf(zone, `${dateAfter(date, 1)}T00:00`);
  return items
    .filter(({ fromMs, toMs }) => fromMs < endMs && toMs > beginMs)
    .sort((a, b) => a.fromMs - b.fromMs);
}

/** The pieces of `items` on a date of an axis, in the order of their start. Pieces in the same lane do not overlap. */
export function piecesOf<Item extends CalendarSpan>(
  items: readonly Item[],
  date: string,
  axis: DayAxis,
): readonly DayPiece<Item>[] {
  const cut = itemsOn(items, date, axis.zone)
    .map((item) => {
      const from = Math.min(positionAt(axis, date, item.fromMs), axis.minutes - minMinutes);
      const to = positionAt(axis, date, item.toMs, true);
      return { item, from, to: Math.max(to, from + minMinutes) };
    })
    .sort((a, b) => a.from - b.from || b.to - a.to);
  return inLanes(cut);
}

function inLanes<Part extends { readonly from: number; readonly to: number }>(
  parts: readonly Part[],
): readonly (Part & { readonly lane: number; readonly lanes: number })[] {
  const placed: (Part & { readonly lane: number; lanes: number })[] = [];
  let ends: number[] = [];
  let group: typeof placed = [];
  for (const part of parts) {
    if (ends.every((end) => end <= part.from)) {
      ends = [];
      group = [];
    }
    const free = ends.findIndex((end) => end <= part.from);
    const lane = free < 0 ? ends.length : free;
    ends[lane] = part.to;
    const piece = { ...part, lane, lanes: ends.length };
    group.push(piece);
    for (const member of group) member.lanes = ends.length;
    placed.push(piece);
  }
  return placed;
}
