import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clockChangeOf, dayAxis, momentAt, positionAt } from './day-axis.ts';
import { dateAfter, instantOf } from './zoned.ts';

const hourMs = 3_600_000;

test.each([
  ['Europe/Berlin', '2027-03-28', 'missing', 120, 180],
  ['Europe/Berlin', '2026-10-25', 'second', 120, 180],
  ['America/New_York', '2026-11-01', 'second', 60, 120],
  // Half an hour.
  ['Australia/Lord_Howe', '2026-10-04', 'missing', 120, 150],
  ['Australia/Lord_Howe', '2027-04-04', 'second', 90, 120],
  // At midnight.
  ['America/Santiago', '2026-09-06', 'missing', 0, 60],
  ['America/Santiago', '2027-04-03', 'second', 1_380, 1_440],
  ['America/Havana', '2026-11-01', 'second', 0, 60],
])('%s on %s has a %s time from minute %i to %i', (zone, date, kind, fromMinute, toMinute) => {
  expect(clockChangeOf(zone, date)).toMatchObject({ kind, fromMinute, toMinute });
  expect(clockChangeOf(zone, dateAfter(date, 1))).toBeUndefined();
  expect(clockChangeOf(zone, dateAfter(date, -1))).toBeUndefined();
});

test('a week with a second hour has it once more on its axis, and the other days leave it out', () => {
  const axis = dayAxis(['2026-10-24', '2026-10-25'], 'Europe/Berlin');
  expect(axis).toMatchObject({ minutes: 1_500, second: { from: 180, to: 240 } });
  const midnight = instantOf('Europe/Berlin', '2026-10-25T00:00');
  const at = (hours: number) => positionAt(axis, '2026-10-25', midnight + hours * hourMs);
  expect([2.5, 3, 3.5, 4, 24].map(at)).toEqual([150, 180, 210, 240, 1_440]);
  const before = instantOf('Europe/Berlin', '2026-10-24T03:00');
  expect(positionAt(axis, '2026-10-24', before)).toBe(240);
  expect(positionAt(axis, '2026-10-24', before, true)).toBe(180);
});

test('a span that ends as the clocks skip an hour does not cover that hour, and a pointer in it means its end', () => {
  const axis = dayAxis(['2027-03-28'], 'Europe/Berlin');
  const change = instantOf('Europe/Berlin', '2027-03-28T03:00');
  expect(positionAt(axis, '2027-03-28', change)).toBe(180);
  expect(positionAt(axis, '2027-03-28', change, true)).toBe(120);
  expect(momentAt(axis, '2027-03-28', 150)).toBe(change);
});

test('each minute of a day has a position of its own, in order, and the position has that minute', () => {
  const zones = ['Europe/Berlin', 'America/New_York', 'America/Santiago', 'Australia/Lord_Howe', 'UTC'];
  const changed = ['2026-10-25', '2027-03-28', '2026-11-01', '2027-04-03', '2026-09-06', '2026-10-04'];
  const dates = fc.oneof(
    fc.constantFrom(...changed),
    fc.integer({ min: 0, max: 900 }).map((days) => dateAfter('2026-01-01', days)),
  );
  fc.assert(
    fc.property(fc.constantFrom(...zones), dates, fc.integer({ min: 0, max: 6 }), (zone, date, back) => {
      const week = Array.from({ length: 7 }, (_, day) => dateAfter(date, day - back));
      const axis = dayAxis(week, zone);
      const [begin, end] = [date, dateAfter(date, 1)].map((day) => instantOf(zone, `${day}T00:00`));
      let last = -1;
      for (let ms = begin ?? 0; ms < (end ?? 0); ms += 47 * 60_000) {
        // A day that begins with a change has no position 0 in its clock, and begins at the top.
        const position = positionAt(axis, date, ms);
        expect(position).toBeGreaterThan(last);
        expect(position).toBeLessThan(axis.minutes);
        expect(momentAt(axis, date, position)).toBe(ms);
        last = position;
      }
      expect(momentAt(axis, date, axis.minutes)).toBe(end);
    }),
    { numRuns: 25 },
  );
});
