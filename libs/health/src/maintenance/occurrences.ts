import { createHash } from 'node:crypto';
import { dayMs, type Span } from '@vantage/domain';
import { type ZoneOffset, zoneOffset } from '@vantage/kernel';
import { RRuleTemporal } from 'rrule-temporal';

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
   * The effect of a change of the clocks: `skipped` leaves the window out, `repeated` shows its begin twice, so that it
   * begins at the first one, `within` lies inside the window, which lasts its duration of real time.
   */
  readonly clockChange: 'skipped' | 'repeated' | 'within' | undefined;
}

/** The next windows are searched so far ahead. */
const searchedUs = 11_000 * dayMs * 1000;

/** The windows that begin in [from, to), in order, with the places of skipped ones. */
export function occurrencesIn(schedule: MaintenanceSchedule, span: Span): readonly Occurrence[] {
  return [...eachOccurrence(schedule, span)];
}

/** The next `most` windows that end after `fromUs`, and the places of skipped ones between them. */
export function nextOccurrences(
  schedule: MaintenanceSchedule,
  fromUs: number,
  most: number,
): readonly Occurrence[] {
  const found: Occurrence[] = [];
  let windows = 0;
  const span = { fromUs: fromUs - schedule.durationUs + 1, toUs: fromUs + searchedUs };
  for (const occurrence of eachOccurrence(schedule, span)) {
    found.push(occurrence);
    windows += occurrence.window === undefined ? 0 : 1;
    if (windows === most) break;
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
    // A skipped time stands where the clocks would have shown it without the change.
    const placeUs = (Number.isNaN(at) ? wall - offset(wall - dayMs) * 60_000 : at) * 1000;
    if (placeUs < fromUs || placeUs >= toUs) continue;
    const local = new Date(wall).toISOString().slice(0, 16);
    if (Number.isNaN(at)) {
      yield { startLocal: local, window: undefined, clockChange: 'skipped' };
      continue;
    }
    const window = { fromUs: placeUs, toUs: placeUs + schedule.durationUs };
    const isWithin = offset(window.fromUs / 1000) !== offset(window.toUs / 1000);
    const clockChange = second !== undefined ? 'repeated' : isWithin ? 'within' : undefined;
    yield { startLocal: local, window, clockChange };
  }
}

/** The wall times that may lie in the span: a day more on both sides, because zones differ by less. */
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

/**
 * The first `count` wall times that exist, up to `toMs`. Times that the clocks skip do not count (RFC 5545 section
 * 3.3.10).
 */
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
 * The moments (milliseconds since 1970) at which the zone's clocks show this wall time: none where they skip it, two
 * where they repeat it.
 */
function instantsOf(wall: number, offset: ZoneOffset): readonly number[] {
  const offsets = new Set([offset(wall - dayMs), offset(wall + dayMs)]);
  return [...offsets]
    .map((minutes) => ({ minutes, at: wall - minutes * 60_000 }))
    .filter(({ minutes, at }) => offset(at) === minutes)
    .map(({ at }) => at)
    .sort((a, b) => a - b);
}

/**
 * The public id of an occurrence of a maintenance schedule, in the form of all ids: the same for each of its devices.
 */
export function occurrenceId(mscheduleNo: number, occurrenceUs: number): string {
  return createHash('sha256').update(`mschedule ${mscheduleNo} ${occurrenceUs}`).digest('hex').slice(0, 48);
}

/** A recurrence rule that was read. */
interface RecurrenceRule {
  /** The rule without COUNT and UNTIL, which are judged on real times. */
  readonly pattern: string;
  readonly count: number | null;
  /** Microseconds since 1970; inclusive. */
  readonly untilUs: number | null;
}

const days = 'MO|TU|WE|TH|FR|SA|SU';
const list = (item: string) => new RegExp(`^(?:${item})(?:,(?:${item}))*$`);
const number = (least: number, most: number) => (text: string) =>
  /^\d{1,4}$/.test(text) && Number(text) >= least && Number(text) <= most;
const numbers = (most: number) => (text: string) =>
  list('[+-]?\\d{1,3}').test(text) &&
  text.split(',').every((each) => Number(each) !== 0 && Math.abs(Number(each)) <= most);

/** The parts of RFC 5545 section 3.3.10 that are accepted, each with its test and what it accepts. */
const parts: Readonly<Record<string, readonly [(text: string) => boolean, string]>> = {
  FREQ: [(text) => /^(?:DAILY|WEEKLY|MONTHLY|YEARLY)$/.test(text), 'DAILY, WEEKLY, MONTHLY or YEARLY'],
  INTERVAL: [number(1, 100), 'a number from 1 to 100'],
  COUNT: [number(1, 366), 'a number from 1 to 366; UNTIL ends a longer series'],
  UNTIL: [(text) => untilUs(text) !== undefined, 'a moment in UTC such as 20301231T235959Z'],
  BYDAY: [(text) => list(`(?:[+-]?\\d{1,2})?(?:${days})`).test(text), 'days such as MO,FR or -1SU'],
  BYMONTHDAY: [numbers(31), 'days of the month from 1 to 31, or from -1 to -31'],
  BYMONTH: [(text) => list('[1-9]|1[0-2]').test(text), 'months from 1 to 12'],
  BYYEARDAY: [numbers(366), 'days of the year from 1 to 366, or from -1 to -366'],
  BYWEEKNO: [numbers(53), 'weeks from 1 to 53, or from -1 to -53'],
  BYHOUR: [(text) => list('1?\\d|2[0-3]').test(text), 'hours from 0 to 23'],
  BYSETPOS: [numbers(366), 'places from 1 to 366, or from -1 to -366'],
  WKST: [(text) => new RegExp(`^(?:${days})$`).test(text), 'a day such as MO'],
};

const example = 'for example FREQ=WEEKLY;BYDAY=SU';

/**
 * The work for the days that are computed at once, so that no rule costs more than some milliseconds. A rule that needs
 * more is refused.
 */
const bounds = { maxIterations: 2_000, maxCandidateEvaluations: 10_000, cache: false } as const;

/** Days that are computed at once: few at first, because a dense rule needs no more. */
const [firstDays, mostDays] = [2, 32];

/**
 * The fault of a recurrence rule, as the rest of a sentence that begins with the field's name; undefined:
 * nothing.
 */
export function recurrenceFault(text: string): string | undefined {
  const read = readRecurrence(text);
  if (!read.ok) return read.fault;
  try {
    const fromMs = Date.UTC(2026, 0, 1);
    wallTimes(read.rule, '2026-01-01T00:00', fromMs, fromMs + dayMs).next();
    return undefined;
  } catch {
    return `must be a rule of RFC 5545 section 3.3.10, ${example}`;
  }
}

/** Reads a recurrence rule of whole days (RFC 5545 section 3.3.10). */
export function readRecurrence(
  text: string,
): { readonly ok: true; readonly rule: RecurrenceRule } | { readonly ok: false; readonly fault: string } {
  const found = new Map<string, string>();
  for (const part of text.split(';')) {
    const [, name = '', value = ''] = /^([A-Z]+)=(.+)$/.exec(part) ?? [];
    const known = Object.hasOwn(parts, name) ? parts[name] : undefined;
    if (known === undefined) return refuse(`must be an RFC 5545 rule, ${example}`);
    if (found.has(name)) return refuse(`must have ${name} once, ${example}`);
    if (!known[0](value)) return refuse(`must have ${known[1]} as ${name}, ${example}`);
    found.set(name, value);
  }
  if (!found.has('FREQ')) return refuse(`must have FREQ, ${example}`);
  if (found.has('COUNT') && found.has('UNTIL')) return refuse('must have COUNT or UNTIL, not both');
  const { COUNT, UNTIL, ...pattern } = Object.fromEntries(found);
  const rule = {
    pattern: Object.entries(pattern)
      .map(([name, value]) => `${name}=${value}`)
      .join(';'),
    count: COUNT === undefined ? null : Number(COUNT),
    untilUs: UNTIL === undefined ? null : (untilUs(UNTIL) ?? null),
  };
  return { ok: true, rule };
}

function refuse(fault: string): { readonly ok: false; readonly fault: string } {
  return { ok: false, fault };
}

function untilUs(text: string): number | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1);
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
  const ms = Date.parse(iso);
  return Number.isNaN(ms) || new Date(ms).toISOString() !== iso ? undefined : ms * 1000;
}

/**
 * The wall times of a rule from `fromMs` to `toMs`, both as if the clock face showed UTC, in order. They are computed
 * as they are asked for. Zones, COUNT and UNTIL are the caller's. Throws where the rule needs more work than `bounds`.
 */
export function* wallTimes(
  { pattern }: RecurrenceRule,
  startLocal: string,
  fromMs: number,
  toMs: number,
): Generator<number> {
  const start = `${startLocal.replaceAll(/[-:]/g, '')}00`;
  const rruleString = `DTSTART;TZID=UTC:${start}\nRRULE:${pattern}`;
  const rule = new RRuleTemporal({ rruleString, strict: true, ...bounds });
  let days = firstDays;
  for (let atMs = fromMs; atMs <= toMs; ) {
    const endMs = Math.min(atMs + days * dayMs, toMs);
    for (const { epochMilliseconds } of rule.between(new Date(atMs), new Date(endMs), true))
      yield epochMilliseconds;
    atMs = endMs + 1;
    days = Math.min(mostDays, days * 4);
  }
}
