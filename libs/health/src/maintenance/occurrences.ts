import { dayMs, type Span } from '@vantage/domain';
import { type ZoneOffset, zoneOffset } from '@vantage/kernel';
import { type RecurrenceRule, readRecurrence, wallTimes } from './recurrence-rule.ts';

/** A maintenance schedule. */
export interface MaintenanceSchedule {
  /** IANA name. */
  readonly timezone: string;
  /** Begin of the first window, `YYYY-MM-DDThh:mm` on the zone's clocks. */
  readonly startLocal: string;
  readonly durationUs: number;
  /** RFC 5545 section 3.3.10; null: there is one window. */
  readonly recurrence: string | null;
}

/** One window of a schedule, or the place of one. Times are microseconds since 1970. */
export interface Occurrence {
  /** `YYYY-MM-DDThh:mm` as the schedule says it. */
  readonly startLocal: string;
  /** undefined: the clocks skip this time, so there is no window. */
  readonly window: Span | undefined;
  /**
   * What a change of the clocks does: `skipped` leaves the window out, `repeated` shows its begin twice, so that it begins at the first one,
   * `within` lies inside the window, which lasts its duration of real time.
   */
  readonly clockChange: 'skipped' | 'repeated' | 'within' | undefined;
}

/** Spans in which the next windows are searched, one after the other: the first one is enough for most rules. */
const searchedDays = [62, 730, 4_400, 11_000] as const;

/** The windows that begin in [from, to), in order, with the places of skipped ones. */
export function occurrencesIn(schedule: MaintenanceSchedule, { fromUs, toUs }: Span): readonly Occurrence[] {
  const { recurrence, startLocal, timezone } = schedule;
  const offset = zoneOffset(timezone);
  const single = [Date.parse(`${startLocal}Z`)];
  const walls = recurrence === null ? single : wallsOf(schedule, recurrence, { fromUs, toUs }, offset);
  return walls.flatMap((wall): Occurrence[] => {
    const [at = NaN, second] = instantsOf(wall, offset);
    // A skipped time stands where the clocks would have shown it without the change.
    const placeUs = (Number.isNaN(at) ? wall - offset(wall - dayMs) * 60_000 : at) * 1000;
    if (placeUs < fromUs || placeUs >= toUs) return [];
    const local = new Date(wall).toISOString().slice(0, 16);
    if (Number.isNaN(at)) return [{ startLocal: local, window: undefined, clockChange: 'skipped' }];
    const window = { fromUs: placeUs, toUs: placeUs + schedule.durationUs };
    const isWithin = offset(window.fromUs / 1000) !== offset(window.toUs / 1000);
    const clockChange = second !== undefined ? 'repeated' : isWithin ? 'within' : undefined;
    return [{ startLocal: local, window, clockChange }];
  });
}

/** The next `most` windows that end after `fromUs`, and the places of skipped ones between them. */
export function nextOccurrences(
  schedule: MaintenanceSchedule,
  fromUs: number,
  most: number,
): readonly Occurrence[] {
  const found: Occurrence[] = [];
  let seen = 0;
  let beginUs = fromUs - schedule.durationUs + 1;
  for (const days of searchedDays) {
    const toUs = fromUs + days * dayMs * 1000;
    for (const occurrence of occurrencesIn(schedule, { fromUs: beginUs, toUs })) {
      found.push(occurrence);
      seen += occurrence.window === undefined ? 0 : 1;
      if (seen === most) return found;
    }
    beginUs = toUs;
  }
  return found;
}

/** The wall times that may lie in the span: a day more on both sides, because zones differ by less. */
function wallsOf(
  { startLocal }: MaintenanceSchedule,
  recurrence: string,
  { fromUs, toUs }: Span,
  offset: ZoneOffset,
): readonly number[] {
  const read = readRecurrence(recurrence);
  if (!read.ok) return [];
  const { rule } = read;
  const span = { fromMs: fromUs / 1000 - dayMs, toMs: toUs / 1000 + dayMs };
  const walls =
    rule.count === null
      ? wallTimes(rule, startLocal, span.fromMs, span.toMs)
      : counted(rule, rule.count, { startLocal, toMs: span.toMs, offset });
  return walls.filter((wall) => {
    const [at = wall] = instantsOf(wall, offset);
    return rule.untilUs === null || at * 1000 <= rule.untilUs;
  });
}

/** The first `count` wall times that exist, up to `toMs`. Times that the clocks skip do not count (RFC 5545 section 3.3.10). */
function counted(
  rule: RecurrenceRule,
  count: number,
  { startLocal, toMs, offset }: { startLocal: string; toMs: number; offset: ZoneOffset },
): readonly number[] {
  const found: number[] = [];
  let left = count;
  let fromMs = Date.parse(`${startLocal}Z`);
  for (let days = 62; left > 0 && fromMs <= toMs; days *= 4) {
    const endMs = Math.min(fromMs + days * dayMs, toMs);
    for (const wall of wallTimes(rule, startLocal, fromMs, endMs)) {
      if (left === 0) break;
      found.push(wall);
      left -= instantsOf(wall, offset).length === 0 ? 0 : 1;
    }
    fromMs = endMs + 1;
  }
  return found;
}

/** The moments (milliseconds since 1970) at which the zone's clocks show this wall time: none where they skip it, two where they repeat it. */
function instantsOf(wall: number, offset: ZoneOffset): readonly number[] {
  const offsets = new Set([offset(wall - dayMs), offset(wall + dayMs)]);
  return [...offsets]
    .map((minutes) => ({ minutes, at: wall - minutes * 60_000 }))
    .filter(({ minutes, at }) => offset(at) === minutes)
    .map(({ at }) => at)
    .sort((a, b) => a - b);
}
