import { dateAfter, instantOf, timeOfMinutes, wallTime } from './zoned.ts';

const dayMinutes = 1_440;
const minuteMs = 60_000;

/** A clock change of a day. Minutes are those of the local clock, without the end. */
export interface ClockChange {
  /** The clocks skip these minutes, or show them a second time. */
  readonly kind: 'missing' | 'second';
  readonly fromMinute: number;
  readonly toMinute: number;
  /** The moment of the change, milliseconds since 1970. */
  readonly atMs: number;
}

/** The clock change of a date in a zone; undefined: the day has 24 hours. */
export function clockChangeOf(zone: string, date: string): ClockChange | undefined {
  const [beginMs, endMs] = [date, dateAfter(date, 1)].map((each) => instantOf(zone, `${each}T00:00`));
  if (beginMs === undefined || endMs === undefined || endMs - beginMs === dayMinutes * minuteMs)
    return undefined;
  const wallMs = (ms: number) => Date.parse(`${wallTime(zone, ms)}Z`);
  const offsetAt = (ms: number) => wallMs(ms) - ms;
  // If the clocks skip midnight, the day begins with the change.
  let [before, after] = [beginMs - minuteMs, endMs - minuteMs];
  const shift = (offsetAt(after) - offsetAt(before)) / minuteMs;
  if (shift === 0) return undefined;
  while (after - before > minuteMs) {
    const middle = before + Math.floor((after - before) / 2 / minuteMs) * minuteMs;
    if (offsetAt(middle) === offsetAt(before)) before = middle;
    else after = middle;
  }
  const minute = (wallMs(after) - Date.parse(`${date}T00:00Z`)) / minuteMs;
  return shift > 0
    ? { kind: 'missing', fromMinute: minute - shift, toMinute: minute, atMs: after }
    : { kind: 'second', fromMinute: minute, toMinute: minute - shift, atMs: after };
}

/**
 * The vertical axis that some days share. If the clocks repeat an hour on one of them, the axis has that hour twice;
 * the other days have no second one. Positions are minutes from the top.
 */
export interface DayAxis {
  /** The length. */
  readonly minutes: number;
  /** The position of a local minute, 0 to 1,440. */
  readonly positionOf: (minute: number) => number;
  readonly changes: ReadonlyMap<string, ClockChange>;
  /** The positions that the second hour takes; undefined: no day has one. */
  readonly second: { readonly from: number; readonly to: number } | undefined;
  readonly zone: string;
}

/** The axis of some days in a zone. */
export function dayAxis(dates: readonly string[], zone: string): DayAxis {
  const changes = new Map<string, ClockChange>();
  for (const date of dates) {
    const change = clockChangeOf(zone, date);
    if (change !== undefined) changes.set(date, change);
  }
  const repeated = [...changes.values()].find(({ kind }) => kind === 'second');
  const from = repeated?.toMinute ?? dayMinutes;
  const length = repeated === undefined ? 0 : repeated.toMinute - repeated.fromMinute;
  return {
    minutes: dayMinutes + length,
    positionOf: (minute) => (minute >= from && length > 0 ? minute + length : minute),
    changes,
    second: repeated === undefined ? undefined : { from, to: from + length },
    zone,
  };
}

/** The position of a moment on the axis of its date. `isEnd`: of the end of a span, which is never after a gap. */
export function positionAt(axis: DayAxis, date: string, ms: number, isEnd = false): number {
  const { zone, second, minutes } = axis;
  if (ms <= instantOf(zone, `${date}T00:00`)) return 0;
  if (ms >= instantOf(zone, `${dateAfter(date, 1)}T00:00`)) return minutes;
  const wall = wallTime(zone, ms);
  const minute = Number(wall.slice(11, 13)) * 60 + Number(wall.slice(14, 16));
  const change = axis.changes.get(date);
  if (second !== undefined && change?.kind === 'second' && ms >= change.atMs && minute < change.toMinute)
    return second.from + minute - change.fromMinute;
  // A span that ends when the clocks skip an hour does not cover it.
  if (isEnd && change?.kind === 'missing' && ms === change.atMs) return axis.positionOf(change.fromMinute);
  return isEnd && minute === second?.from && change?.kind !== 'second' ? minute : axis.positionOf(minute);
}

/** The moment at a position of a date: at the end of what the clocks skip, and of a second hour that the day lacks. */
export function momentAt(axis: DayAxis, date: string, position: number): number {
  const { zone, second, minutes } = axis;
  if (position >= minutes) return instantOf(zone, `${dateAfter(date, 1)}T00:00`);
  const change = axis.changes.get(date);
  const isSecond = second !== undefined && position >= second.from && position < second.to;
  if (isSecond && change?.kind === 'second')
    return change.atMs + Math.floor(position - second.from) * minuteMs;
  const afterSecond = second === undefined || position < second.from ? 0 : second.to - second.from;
  const minute = isSecond ? second.from : Math.floor(position) - afterSecond;
  if (minute >= dayMinutes) return instantOf(zone, `${dateAfter(date, 1)}T00:00`);
  if (change?.kind === 'missing' && minute >= change.fromMinute && minute < change.toMinute)
    return change.atMs;
  return instantOf(zone, `${date}T${timeOfMinutes(minute)}`);
}
