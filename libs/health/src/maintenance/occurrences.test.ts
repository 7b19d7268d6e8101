import { hourUs } from '@vantage/domain';
import fc from 'fast-check';
import { RRuleTemporal } from 'rrule-temporal';
import { expect, test, vi } from 'vitest';
import { type MaintenanceSchedule, nextOccurrences, occurrencesIn } from './occurrences.ts';
import { recurrenceFault } from './recurrence-rule.ts';

const us = (text: string) => Date.parse(text) * 1000;
const schedule = (more: Partial<MaintenanceSchedule> = {}): MaintenanceSchedule => ({
  timezone: 'Europe/Berlin',
  startLocal: '2026-01-04T02:30',
  durationUs: 2 * hourUs,
  recurrence: 'FREQ=DAILY',
  ...more,
});
const shown = (list: ReturnType<typeof nextOccurrences>) =>
  list.map(({ startLocal, window, clockChange }) => [
    startLocal,
    window === undefined ? null : new Date(window.fromUs / 1000).toISOString().slice(0, 16),
    clockChange,
  ]);

test('a schedule without a recurrence has one window', () => {
  const once = schedule({ recurrence: null });
  expect(shown(nextOccurrences(once, us('2026-01-01T00:00Z'), 10))).toEqual([
    ['2026-01-04T02:30', '2026-01-04T01:30', undefined],
  ]);
  const endUs = us('2026-01-04T03:30Z');
  expect(nextOccurrences(once, endUs - 1, 10)).toHaveLength(1);
  expect(nextOccurrences(once, endUs, 10)).toEqual([]);
});

test('a time that the clocks skip has no window and does not count; one that they repeat begins at the first', () => {
  const spring = schedule({ startLocal: '2026-03-28T02:30', recurrence: 'FREQ=DAILY;COUNT=2' });
  expect(shown(nextOccurrences(spring, us('2026-03-01T00:00Z'), 10))).toEqual([
    ['2026-03-28T02:30', '2026-03-28T01:30', undefined],
    ['2026-03-29T02:30', null, 'skipped'],
    ['2026-03-30T02:30', '2026-03-30T00:30', undefined],
  ]);
  const autumn = schedule({ startLocal: '2026-10-24T02:30' });
  expect(shown(nextOccurrences(autumn, us('2026-10-24T12:00Z'), 2))).toEqual([
    ['2026-10-25T02:30', '2026-10-25T00:30', 'repeated'],
    ['2026-10-26T02:30', '2026-10-26T01:30', undefined],
  ]);
  const around = schedule({ startLocal: '2026-03-29T01:00', recurrence: null });
  expect(nextOccurrences(around, us('2026-03-01T00:00Z'), 1)).toMatchObject([
    { clockChange: 'within', window: { toUs: us('2026-03-29T02:00Z') } },
  ]);
});

test.each([
  ['FREQ=WEEKLY;BYDAY=SU', ['2026-11-22T02:30', '2026-11-29T02:30']],
  ['FREQ=MONTHLY;BYDAY=-1FR', ['2026-11-27T02:30', '2026-12-25T02:30']],
  ['FREQ=MONTHLY;BYMONTHDAY=31', ['2026-12-31T02:30', '2027-01-31T02:30']],
  ['FREQ=DAILY;BYHOUR=2,14', ['2026-11-21T02:30', '2026-11-21T14:30']],
  ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29', ['2028-02-29T02:30', '2032-02-29T02:30']],
  ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', []],
  ['FREQ=DAILY;UNTIL=20261122T200000Z', ['2026-11-21T02:30', '2026-11-22T02:30']],
  ['FREQ=DAILY;UNTIL=20261122T013000Z', ['2026-11-21T02:30', '2026-11-22T02:30']],
  ['FREQ=DAILY;UNTIL=20261122T012959Z', ['2026-11-21T02:30']],
  ['FREQ=DAILY;COUNT=3', []],
])('%s gives %j', (recurrence, expected) => {
  const fromUs = us('2026-11-21T02:00Z'); // within the window of that day
  const starts = nextOccurrences(schedule({ recurrence }), fromUs, 2).map(({ startLocal }) => startLocal);
  expect(starts).toEqual(expected);
});

/** The spans that the work asks the library of rules for, and the wall times that it computes. */
function workOf(work: () => unknown) {
  using between = vi.spyOn(RRuleTemporal.prototype, 'between');
  work();
  const found = between.mock.results.map(({ value }) => (Array.isArray(value) ? value.length : 0));
  return { spans: found.length, wallTimes: found.reduce((sum, each) => sum + each, 0) };
}

const allHours = Array.from({ length: 24 }, (_, hour) => hour).join(',');

test.each([
  `FREQ=DAILY;BYHOUR=${allHours}`,
  `FREQ=DAILY;BYHOUR=${allHours};COUNT=366`,
  `FREQ=YEARLY;BYMONTH=4,5,6,7,8,9,10,11,12;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=${allHours}`,
  `FREQ=YEARLY;BYMONTH=12;BYHOUR=${allHours};COUNT=366`,
  `FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=${allHours};BYSETPOS=-1`,
  `FREQ=YEARLY;BYYEARDAY=${Array.from({ length: 100 }, (_, day) => day + 1).join(',')};BYHOUR=${allHours}`,
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=DAILY;COUNT=366',
])('a hostile rule costs a bounded number of steps: %s', (recurrence) => {
  expect(workOf(() => recurrenceFault(recurrence)).wallTimes).toBeLessThanOrEqual(49);
  for (const startLocal of ['2000-01-01T00:00', '2026-01-01T00:00', '2099-12-31T23:59']) {
    const from = us('2026-11-21T00:00Z');
    const ask = schedule({ recurrence, startLocal });
    const next = workOf(() => nextOccurrences(ask, from, 10));
    expect(next.wallTimes).toBeLessThanOrEqual(366 + 33 * 24);
    expect(next.spans).toBeLessThanOrEqual(11_000 / 32 + 4);
    const soon = workOf(() => occurrencesIn(ask, { fromUs: from, toUs: from + 48 * hourUs }));
    expect(soon.wallTimes).toBeLessThanOrEqual(366 + 33 * 24);
  }
});

/**
 * The Sundays of the year, and two zones that change their clocks on other days, in the south, by half an hour, and
 * never.
 */
const zones = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Asia/Tokyo',
  'Africa/Casablanca',
];

test.each(zones)(
  'in %s, 2026 to 2037, each daily window begins when the clocks show its time first',
  (timezone) => {
    const format = new Intl.DateTimeFormat('sv-SE', {
      timeZone: timezone,
      dateStyle: 'short',
      timeStyle: 'short',
    });
    const face = (ms: number) => format.format(ms).replace(' ', 'T');
    for (const time of ['00:30', '02:15']) {
      const daily = schedule({ timezone, startLocal: `2026-01-01T${time}`, durationUs: 60_000_000 });
      const found = occurrencesIn(daily, { fromUs: us('2026-01-02T00:00Z'), toUs: us('2038-01-01T00:00Z') });
      expect(found.length).toBeGreaterThan(4_370);
      const strange = found.filter(({ startLocal, window, clockChange }) => {
        if (window === undefined) {
          // No moment near it shows this time.
          const wall = Date.parse(`${startLocal}Z`);
          return Array.from({ length: 28 * 4 + 1 }, (_, at) => wall + (at - 56) * 900_000).some(
            (ms) => face(ms) === startLocal,
          );
        }
        const ms = window.fromUs / 1000;
        const isAgain = [30, 60].some((minutes) => face(ms - minutes * 60_000) === startLocal);
        const comesAgain = [30, 60].some((minutes) => face(ms + minutes * 60_000) === startLocal);
        return face(ms) !== startLocal || isAgain || comesAgain !== (clockChange === 'repeated');
      });
      expect(strange).toEqual([]);
    }
  },
  120_000,
);

test('whatever the span is cut into, the windows are the same', () => {
  const rules = [
    'FREQ=DAILY;COUNT=40',
    'FREQ=WEEKLY;BYDAY=SU,WE',
    'FREQ=MONTHLY;BYMONTHDAY=-1',
    'FREQ=DAILY;BYHOUR=1,2,3',
  ];
  const day = 24 * hourUs;
  fc.assert(
    fc.property(
      fc.constantFrom(...rules),
      fc.constantFrom(...zones),
      fc.integer({ min: 0, max: 300 }),
      fc.integer({ min: 0, max: 100 * 24 }),
      (recurrence, timezone, startDay, cutHour) => {
        const one = schedule({ recurrence, timezone });
        const fromUs = us('2026-01-01T00:00Z') + startDay * day;
        const toUs = fromUs + 100 * day;
        const whole = occurrencesIn(one, { fromUs, toUs });
        // A window belongs to the part that holds its begin, also where the cut is its begin.
        const begins = whole.slice(0, 2).flatMap(({ window }) => window?.fromUs ?? []);
        for (const cutUs of [fromUs + cutHour * hourUs, ...begins]) {
          const parts = [
            ...occurrencesIn(one, { fromUs, toUs: cutUs }),
            ...occurrencesIn(one, { fromUs: cutUs, toUs }),
          ];
          expect(parts).toEqual(whole);
        }
      },
    ),
    { numRuns: 40 },
  );
});
