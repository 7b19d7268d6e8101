import { dayMs } from '@vantage/domain';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readRecurrence, recurrenceFault, wallTimes } from './recurrence-rule.ts';

test.each(['FREQ=DAILY', 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', 'FREQ=DAILY;COUNT=366'])(
  'the rule %s is accepted',
  (rule) => {
    expect(recurrenceFault(rule)).toBeUndefined();
  },
);

test.each([
  ['', 'must be an RFC 5545 rule, for example FREQ=WEEKLY;BYDAY=SU'],
  ['FREQ=WEEKLY;BYDAY=XX', 'must have days such as MO,FR or -1SU as BYDAY'],
  ['FREQ=MINUTELY', 'must have DAILY, WEEKLY, MONTHLY or YEARLY as FREQ'],
  ['FREQ=HOURLY', 'must have DAILY, WEEKLY, MONTHLY or YEARLY as FREQ'],
  ['RRULE:FREQ=DAILY', 'must be an RFC 5545 rule, for example FREQ=WEEKLY;BYDAY=SU'],
  ['FREQ=DAILY;BYMINUTE=1', 'must be an RFC 5545 rule, for example FREQ=WEEKLY;BYDAY=SU'],
  ['FREQ=DAILY;COUNT=10000', 'must have a number from 1 to 366'],
  ['FREQ=DAILY;INTERVAL=0', 'must have a number from 1 to 100 as INTERVAL'],
  ['FREQ=DAILY;INTERVAL=100000', 'must have a number from 1 to 100 as INTERVAL'],
  ['FREQ=DAILY;COUNT=1;UNTIL=20270101T000000Z', 'must have COUNT or UNTIL, not both'],
  ['FREQ=DAILY;UNTIL=20270230T000000Z', 'must have a moment in UTC'],
  ['FREQ=DAILY;UNTIL=20271301T000000Z', 'must have a moment in UTC'],
  ['FREQ=MONTHLY;BYMONTHDAY=0', 'must have days of the month'],
  ['FREQ=MONTHLY;BYMONTHDAY=1,-32', 'must have days of the month'],
  ['FREQ=DAILY;FREQ=DAILY', 'must have FREQ once'],
  ['INTERVAL=2', 'must have FREQ'],
  ['FREQ=WEEKLY;BYDAY=1MO', 'must be a rule of RFC 5545'],
  ['FREQ=WEEKLY;BYMONTHDAY=1', 'must be a rule of RFC 5545'],
])('the rule %j is refused: %s', (text, fault) => {
  expect(recurrenceFault(text)).toContain(fault);
});

test('the wall times of a span are those of its first and last millisecond and all between, wherever it begins', () => {
  const read = readRecurrence('FREQ=DAILY');
  if (!read.ok) throw new Error(read.fault);
  const { rule } = read;
  const startMs = Date.parse('2026-01-01T02:30Z');
  const edge = fc.tuple(fc.integer({ min: 0, max: 60 }), fc.constantFrom(-1, 0, 1));
  fc.assert(
    fc.property(edge, edge, ([fromDay, fromMore], [days, toMore]) => {
      const fromMs = startMs + fromDay * dayMs + fromMore;
      const toMs = startMs + (fromDay + days) * dayMs + toMore;
      const all = Array.from({ length: 122 }, (_, n) => startMs + n * dayMs);
      expect([...wallTimes(rule, '2026-01-01T02:30', fromMs, toMs)]).toEqual(
        all.filter((ms) => fromMs <= ms && ms <= toMs),
      );
    }),
    {
      numRuns: 200,
      examples: [
        [
          [3, 0],
          [0, 0],
        ],
        [
          [3, -1],
          [3, 0],
        ],
      ],
    },
  );
});
