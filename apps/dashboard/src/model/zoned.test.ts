import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dateAfter, instantOf, wallTime, weekdayOf } from './zoned.ts';

const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC'];

test('the moment of what the clocks show is shown by the clocks again, at or before the moment itself', () => {
  const minutes = fc.integer({ min: Date.UTC(2020, 0) / 60_000, max: Date.UTC(2040, 0) / 60_000 });
  fc.assert(
    fc.property(fc.constantFrom(...zones), minutes, (zone, minute) => {
      const ms = minute * 60_000;
      const wall = wallTime(zone, ms);
      const found = instantOf(zone, wall);
      expect(wallTime(zone, found)).toBe(wall);
      // Of a time that comes twice it is the first one.
      expect(found).toBeLessThanOrEqual(ms);
      expect(ms - found).toBeLessThanOrEqual(3_600_000);
    }),
  );
});

test.each([
  ['Europe/Berlin', '2027-03-28T02:30', '2027-03-28T01:30:00.000Z'],
  ['Europe/Berlin', '2027-10-31T02:30', '2027-10-31T00:30:00.000Z'],
  ['Europe/Berlin', '2026-11-29T03:10', '2026-11-29T02:10:00.000Z'],
])('in %s, %s is %s', (zone, wall, instant) => {
  expect(new Date(instantOf(zone, wall)).toISOString()).toBe(instant);
});

test('a text that is no time has no moment, and dates are counted over the ends of months and years', () => {
  expect(instantOf('UTC', 'tomorrow')).toBeNaN();
  expect(dateAfter('2026-12-31', 1)).toBe('2027-01-01');
  expect(dateAfter('2027-03-01', -1)).toBe('2027-02-28');
  expect(weekdayOf('2026-11-23')).toBe(0);
  expect(weekdayOf('2026-11-29')).toBe(6);
});
