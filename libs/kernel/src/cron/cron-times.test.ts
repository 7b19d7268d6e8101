import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../testing/index.ts';
import { zoneOffset } from '../time-zone.ts';
import { type CronRule, readCron } from './cron-rule.ts';
import { nextCronTime } from './cron-times.ts';

function ruleOf(line: string): CronRule {
  const read = readCron(line);
  if (!read.ok) throw new Error(read.fault);
  return read.rule;
}

/** The next times in order, as UTC. */
function times(line: string, zone: string, after: string, count: number): string[] {
  const found: string[] = [];
  for (let ms = Date.parse(after); found.length < count; ) {
    ms = nextCronTime(ruleOf(line), zone, ms) ?? Number.NaN;
    found.push(new Date(ms).toISOString().slice(0, 16));
  }
  return found;
}

test.each([
  // The clock in Berlin goes from 02:00 to 03:00 on 2027-03-28 (01:00 UTC), and from 03:00 to 02:00 on 2027-10-31.
  [
    'a skipped time is due when the clock goes on',
    '30 2 * * *',
    'Europe/Berlin',
    '2027-03-27T12:00Z',
    ['2027-03-28T01:00', '2027-03-29T00:30'],
  ],
  [
    'several skipped times are one',
    '0,30 2 * * *',
    'Europe/Berlin',
    '2027-03-27T12:00Z',
    ['2027-03-28T01:00', '2027-03-29T00:00'],
  ],
  [
    'a time that comes twice is due once',
    '30 2 * * *',
    'Europe/Berlin',
    '2027-10-30T12:00Z',
    ['2027-10-31T00:30', '2027-11-01T01:30'],
  ],
  [
    'a repeated job goes on in the doubled hour',
    '*/30 * * * *',
    'Europe/Berlin',
    '2027-10-31T00:15Z',
    ['2027-10-31T00:30', '2027-10-31T01:00', '2027-10-31T01:30', '2027-10-31T02:00'],
  ],
  [
    'a repeated job has no time in the gap',
    '*/30 * * * *',
    'Europe/Berlin',
    '2027-03-28T00:15Z',
    ['2027-03-28T00:30', '2027-03-28T01:00', '2027-03-28T01:30'],
  ],
  [
    'a gap at midnight',
    '0 0 * * *',
    'Africa/Cairo',
    '2025-04-24T12:00Z',
    ['2025-04-24T22:00', '2025-04-25T21:00'],
  ],
  [
    'half an hour',
    '15 2 * * *',
    'Australia/Lord_Howe',
    '2026-10-03T00:00Z',
    ['2026-10-03T15:30', '2026-10-04T15:15'],
  ],
  [
    'a day that the zone skipped',
    '0 12 30 12 *',
    'Pacific/Apia',
    '2011-12-01T00:00Z',
    ['2011-12-30T10:00', '2012-12-29T22:00'],
  ],
  ['a leap day around 2100', '0 0 29 2 *', 'UTC', '2096-03-01T00:00Z', ['2104-02-29T00:00']],
  [
    'a day of the month or of the week',
    '0 0 13 * fri',
    'UTC',
    '2026-11-01T00:00Z',
    ['2026-11-06T00:00', '2026-11-13T00:00', '2026-11-20T00:00'],
  ],
])('%s', (_, line, zone, after, expected) => {
  expect(times(line, zone, after, expected.length)).toEqual(expected);
});

test('a time is after the moment, never at it', () => {
  expect(times('0 * * * *', 'UTC', '2026-11-30T10:00Z', 1)).toEqual(['2026-11-30T11:00']);
});

const minuteMs = 60_000;

/** Walks minute by minute. A job at a time of day that was skipped is due at the first minute after the gap. */
function slowNext(rule: CronRule, zone: string, afterMs: number): number | undefined {
  const offset = zoneOffset(zone);
  const localOf = (ms: number) => ms + offset(ms) * minuteMs;
  const matches = (local: number) => {
    const date = new Date(local);
    const isDay = rule.days.has(date.getUTCDate());
    const isWeekday = rule.weekdays.has(date.getUTCDay());
    return (
      rule.minutes.includes(date.getUTCMinutes()) &&
      rule.hours.includes(date.getUTCHours()) &&
      rule.months.has(date.getUTCMonth() + 1) &&
      (rule.isEitherDay ? isDay || isWeekday : isDay && isWeekday)
    );
  };
  const firstMs = Math.floor(afterMs / minuteMs) * minuteMs + minuteMs;
  for (let ms = firstMs; ms < firstMs + 45 * 24 * 60 * minuteMs; ms += minuteMs) {
    const [before, now] = [localOf(ms - minuteMs), localOf(ms)];
    if (matches(now) && (rule.isRepeated || !hasShown(localOf, ms, now))) return ms;
    if (rule.isRepeated) continue;
    for (let skipped = before + minuteMs; skipped < now; skipped += minuteMs) if (matches(skipped)) return ms;
  }
  return undefined;
}

/** Whether the clock showed this local time already within the three hours before. */
function hasShown(localOf: (ms: number) => number, ms: number, local: number): boolean {
  for (let at = ms - 180 * minuteMs; at < ms; at += minuteMs) if (localOf(at) === local) return true;
  return false;
}

const line = fc
  .tuple(
    fc.constantFrom('0', '30', '15,45', '*/20', '*', '7-9'),
    fc.constantFrom('*', '2', '0-3', '1,2,3', '*/6', '23'),
    fc.constantFrom('*', '*', '28-31', '1'),
    fc.constantFrom('*', '*', '3,10,11,4'),
    fc.constantFrom('*', '*', 'sun', 'sat,sun'),
  )
  .map((fields) => fields.join(' '));

const changes = [
  ['Europe/Berlin', '2027-03-28T01:00Z'],
  ['Europe/Berlin', '2027-10-31T01:00Z'],
  ['America/New_York', '2027-03-14T07:00Z'],
  ['America/New_York', '2027-11-07T06:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30Z'],
  ['Australia/Lord_Howe', '2027-04-03T15:00Z'],
  ['Africa/Cairo', '2025-04-24T22:00Z'],
  ['Africa/Cairo', '2025-10-30T21:00Z'],
  ['UTC', '2027-01-01T00:00Z'],
] as const;

test('property: around changes of the clock the times are those of a walk minute by minute', {
  timeout: 120_000,
}, () => {
  fc.assert(
    fc.property(
      line,
      fc.constantFrom(...changes),
      fc.integer({ min: -3 * 1440, max: 1440 }),
      (text, [zone, at], minutes) => {
        const rule = ruleOf(text);
        const afterMs = Date.parse(at) + minutes * minuteMs;
        const expected = slowNext(rule, zone, afterMs);
        const found = nextCronTime(rule, zone, afterMs);
        if (expected === undefined)
          expect(found ?? Number.POSITIVE_INFINITY).toBeGreaterThan(afterMs + 44 * 1440 * minuteMs);
        else expect(found).toBe(expected);
      },
    ),
    { numRuns: propertyRuns(150) },
  );
});
