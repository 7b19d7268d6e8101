import { dayMs } from '@vantage/domain';
import { RRuleTemporal } from 'rrule-temporal';

export interface RecurrenceRule {
  /** The rule without COUNT and UNTIL, which apply to real times. */
  readonly pattern: string;
  readonly count: number | null;
  /** Microseconds since 1970; inclusive. */
  readonly untilUs: number | null;
}

const days = 'MO|TU|WE|TH|FR|SA|SU';
const list = (item: string) => new RegExp(`^(?:${item})(?:,(?:${item}))*$`);
const number = (min: number, max: number) => (text: string) =>
  /^\d{1,4}$/.test(text) && Number(text) >= min && Number(text) <= max;
const numbers = (max: number) => (text: string) =>
  list('[+-]?\\d{1,3}').test(text) &&
  text.split(',').every((item) => Number(item) !== 0 && Math.abs(Number(item)) <= max);

/** The accepted parts of RFC 5545 section 3.3.10, with their checks and a description of the accepted values. */
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
  BYSETPOS: [numbers(366), 'positions from 1 to 366, or from -1 to -366'],
  WKST: [(text) => new RegExp(`^(?:${days})$`).test(text), 'a day such as MO'],
};

const example = 'for example FREQ=WEEKLY;BYDAY=SU';

/**
 * Limits the work for one chunk of days, so that no rule costs more than some milliseconds. Larger rules are rejected.
 */
const bounds = { maxIterations: 2_000, maxCandidateEvaluations: 10_000, cache: false } as const;

/** The days of a chunk: few at first, because a dense rule needs no more. */
const [firstDays, maxDays] = [2, 32];

/** The fault of a recurrence rule, as the rest of a sentence that begins with the field's name. */
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

/** Reads a recurrence rule (RFC 5545 section 3.3.10). */
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
 * The wall times of a rule from `fromMs` to `toMs` in order, as if the clocks showed UTC. They are computed lazily. The
 * caller applies zones, COUNT and UNTIL. Throws if the rule needs more work than `bounds`.
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
    days = Math.min(maxDays, days * 4);
  }
}
