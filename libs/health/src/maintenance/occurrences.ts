import { createHash } from 'node:crypto';
import { dayMs, type Span } from '@vantage/domain';
import { type ZoneOffset, zoneOffset } from '@vantage/kernel';
import { type RecurrenceRule, readRecurrence, wallTimes } from './recurrence-rule.ts';

export interface MaintenanceSchedule {
  /** IANA name. */
  readonly timezone: string;
  /** Start of the first window, `YYYY-MM-DDThh:mm` in local time. */
  readonly startLocal: string;
  readonly durationUs: number;
  /** RFC 5545 section 3.3.10; null: there is one window. */
  readonly recurrence: string | null;
}

/** A window of a schedule, also one that a clock change skips. Times are microseconds since 1970. */
export interface Occurrence {
  /** `YYYY-MM-DDThh:mm` in local time. */
  readonly startLocal: string;
  /** undefined: the clocks skip this time, so there is no window. */
  readonly window: Span | undefined;
  /**
   * The effect of a clock change. `skipped`: there is no window. `repeated`: the local start comes twice, and the
   * window begins at the first. `within`: the change is inside the window, which lasts its duration of real time.
   */
  readonly clockChange: 'skipped' | 'repeated' | 'within' | undefined;
}

/** The next windows are searched within this time. */
const searchedUs = 11_000 * dayMs * 1000;

/** The windows that begin in [from, to), in order, with skipped ones. */
export function occurrencesIn(schedule: MaintenanceSchedule, span: Span): readonly Occurrence[] {
  return [...eachOccurrence(schedule, span)];
}

/** The next `maxWindows` windows that end after `fromUs`, with skipped ones between them. */
export function nextOccurrences(
  schedule: MaintenanceSchedule,
  fromUs: number,
  maxWindows: number,
): readonly Occurrence[] {
  const found: Occurrence[] = [];
  let windows = 0;
  const span = { fromUs: fromUs - schedule.durationUs + 1, toUs: fromUs + searchedUs };
  for (const occurrence of eachOccurrence(schedule, span)) {
    found.push(occurrence);
    windows += occurrence.window === undefined ? 0 : 1;
    if (windows === maxWindows) break;
  }
  return found;
}

function* eachOccurrence(schedule: MaintenanceSchedule, { fromUs, toUs }: Span): Generator<Occurrence> {
  const { recurrence, startLocal, timezone } = schedule;
  const offset = zoneOffset(timezone);
  const single = [Date.parse(`${startLocal}Z`)];
  const walls = recurrence === null ? single : wallsOf(schedule, recurrence, { fromUs, toUs }, offset);
  for (const wall of walls) {
    const [at = NaN, second] = instantsOf(wall, offset);
    // A skipped time has the moment at which the clocks would have shown it without the change.
    const startUs = (Number.isNaN(at) ? wall - offset(wall - dayMs) * 60_000 : at) * 1000;
    if (startUs < fromUs || startUs >= toUs) continue;
    const local = new Date(wall).toISOString().slice(0, 16);
    if (Number.isNaN(at)) {
      yield { startLocal: local, window: undefined, clockChange: 'skipped' };
      continue;
    }
    const window = { fromUs: startUs, toUs: startUs + schedule.durationUs };
    const isWithin = offset(window.fromUs / 1000) !== offset(window.toUs / 1000);
    const clockChange = second !== undefined ? 'repeated' : isWithin ? 'within' : undefined;
    yield { startLocal: local, window, clockChange };
  }
}

/** The wall times that may be in the span: a day more on both sides, because zones differ by less. */
function* wallsOf(
  { startLocal }: MaintenanceSchedule,
  recurrence: string,
  { fromUs, toUs }: Span,
  offset: ZoneOffset,
): Generator<number> {
  const read = readRecurrence(recurrence);
  if (!read.ok) return;
  const { rule } = read;
  const untilMs = rule.untilUs === null ? Number.POSITIVE_INFINITY : rule.untilUs / 1000;
  const span = { fromMs: fromUs / 1000 - dayMs, toMs: Math.min(toUs / 1000, untilMs) + dayMs };
  const walls =
    rule.count === null
      ? wallTimes(rule, startLocal, span.fromMs, span.toMs)
      : counted(rule, rule.count, { startLocal, toMs: span.toMs, offset });
  for (const wall of walls) {
    const [at = wall] = instantsOf(wall, offset);
    if (at <= untilMs) yield wall;
  }
}

/** The first `count` wall times up to `toMs`. Times that the clocks skip do not count (RFC 5545 section 3.3.10). */
function* counted(
  rule: RecurrenceRule,
  count: number,
  { startLocal, toMs, offset }: { startLocal: string; toMs: number; offset: ZoneOffset },
): Generator<number> {
  let left = count;
  for (const wall of wallTimes(rule, startLocal, Date.parse(`${startLocal}Z`), toMs)) {
    yield wall;
    left -= instantsOf(wall, offset).length === 0 ? 0 : 1;
    if (left === 0) return;
  }
}

/**
 * The moments (milliseconds since 1970) at which the zone's clocks show this wall time: none if they skip it, two if
 * they repeat it.
 */
function instantsOf(wall: number, offset: ZoneOffset): readonly number[] {
  const offsets = new Set([offset(wall - dayMs), offset(wall + dayMs)]);
  return [...offsets]
    .map((minutes) => ({ minutes, at: wall - minutes * 60_000 }))
    .filter(({ minutes, at }) => offset(at) === minutes)
    .map(({ at }) => at)
    .sort((a, b) => a - b);
}

/** The public id of an occurrence of a maintenance schedule: the same for all its devices, in the form of all ids. */
export function occurrenceId(mscheduleNo: number, occurrenceUs: number): string {
  return createHash('sha256').update(`mschedule ${mscheduleNo} ${occurrenceUs}`).digest('hex').slice(0, 48);
}
