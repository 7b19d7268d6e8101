import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dueMonth, type Month, nextMonth } from './due-month.ts';

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'Africa/Cairo',
  'America/Sao_Paulo',
  'Pacific/Kiritimati',
];
const hourUs = 3_600_000_000;
const dayUs = 24 * hourUs;
const firstUs = Date.parse('2000-01-01T00:00:00Z') * 1_000;
const moment = fc.integer({ min: 0, max: 12_000 * 24 * 60 }).map((minutes) => firstUs + minutes * 60_000_000);
/** A moment in a zone as its clocks show it: `2026-10-01 00:00:00`. */
const wall = (zone: string, us: number) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }).format(
    us / 1_000,
  );

test('a month begins with the first second of its first day and ends with the last one, in each zone', () => {
  fc.assert(
    fc.property(fc.constantFrom(...zones), moment, (zone, createdUs) => {
      const { month, fromUs, toUs } = nextMonth({ createdUs, month: null }, zone);
      expect(fromUs).toBeLessThanOrEqual(createdUs);
      expect(toUs).toBeGreaterThan(createdUs);
      expect(wall(zone, createdUs).slice(0, 7)).toBe(month);
      for (const us of [fromUs, toUs - 1_000_000]) expect(wall(zone, us).slice(0, 7)).toBe(month);
      for (const us of [fromUs - 1_000_000, toUs]) expect(wall(zone, us).slice(0, 7)).not.toBe(month);
      expect(wall(zone, toUs).slice(8, 10)).toBe('01');
      const next = nextMonth({ createdUs, month }, zone);
      expect(next.fromUs).toBe(toUs);
      expect(next.month > month).toBe(true);
    }),
    { numRuns: 100 },
  );
});

test('a controller that looks at any moments makes each month once, in order, never before its end', () => {
  const looks = fc.array(fc.integer({ min: 1, max: 70 * 24 }), { minLength: 1, maxLength: 25 });
  fc.assert(
    fc.property(fc.constantFrom(...zones), moment, looks, (zone, createdUs, hours) => {
      const made: Month[] = [];
      let nowUs = createdUs;
      let month: string | null = null;
      for (const wait of hours) {
        nowUs += wait * hourUs;
        // A look makes all that is due, one after the other.
        for (;;) {
          const due = dueMonth({ createdUs, month }, zone, { nowUs, isRolledUp: () => true });
          if (due === undefined) break;
          expect(due.toUs).toBeLessThanOrEqual(nowUs);
          made.push(due);
          month = due.month;
        }
        expect(nextMonth({ createdUs, month }, zone).toUs).toBeGreaterThan(nowUs);
      }
      // 70 days between two looks leave no month out, because twelve are made later.
      let expected = nextMonth({ createdUs, month: null }, zone);
      for (const each of made) {
        expect(each).toEqual(expected);
        expected = nextMonth({ createdUs, month: each.month }, zone);
      }
    }),
    { numRuns: 40 },
  );
});

test('it waits for the sums of the last day, at most twelve hours', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      moment,
      fc.integer({ min: 0, max: 48 }),
      (zone, createdUs, hours) => {
        const { toUs, month } = nextMonth({ createdUs, month: null }, zone);
        const at = { nowUs: toUs + hours * hourUs, isRolledUp: () => false };
        expect(dueMonth({ createdUs, month: null }, zone, at)?.month).toBe(hours >= 12 ? month : undefined);
        expect(dueMonth({ createdUs, month: null }, zone, { ...at, isRolledUp: () => true })?.month).toBe(
          month,
        );
      },
    ),
    { numRuns: 100 },
  );
});

test('after years without a controller the last twelve months are made, not all', () => {
  const createdUs = Date.parse('2020-03-05T00:00:00Z') * 1_000;
  const nowUs = Date.parse('2026-11-26T00:00:00Z') * 1_000;
  const made: string[] = [];
  for (let month: string | null = null; ; month = made.at(-1) ?? null) {
    const due = dueMonth({ createdUs, month }, 'Europe/Berlin', { nowUs, isRolledUp: () => true });
    if (due === undefined) break;
    made.push(due.month);
    expect(due.toUs - due.fromUs).toBeGreaterThan(27 * dayUs);
  }
  expect(made).toHaveLength(12);
  expect([made[0], made.at(-1)]).toEqual(['2025-11', '2026-10']);
});

test.each([
  ['2026-11-30T12:00:00Z', '2026-10'],
  ['2026-12-01T00:00:00Z', '2026-11'],
  ['2027-02-01T00:00:00Z', undefined],
])('at %s, after a report of January 2027 by a clock that was ahead, that of %s is due', (now, month) => {
  const at = { nowUs: Date.parse(now) * 1_000 - 1, isRolledUp: () => true };
  const createdUs = Date.parse('2026-03-05T00:00:00Z') * 1_000;
  const ends = { ...at, nowUs: at.nowUs + 1 };
  expect(dueMonth({ createdUs, month: '2027-01' }, 'UTC', ends)?.month).toBe(month);
});
