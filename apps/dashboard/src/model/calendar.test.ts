import fc from 'fast-check';
import { expect, test } from 'vitest';
import { datesOf, piecesOf, stepDate } from './calendar.ts';
import { dayAxis } from './day-axis.ts';
import { dateAfter, instantOf, weekdayOf } from './zoned.ts';

const zones = ['Europe/Berlin', 'America/New_York', 'UTC'];
const dates = fc.integer({ min: 0, max: 3_650 }).map((days) => dateAfter('2024-01-01', days));

test('pieces of one lane do not overlap, stay in their day, and none is lost', () => {
  const spans = fc.array(
    fc.tuple(fc.integer({ min: -2_000, max: 2_000 }), fc.integer({ min: 1, max: 3_000 })),
  );
  fc.assert(
    fc.property(fc.constantFrom(...zones), dates, spans, (zone, date, given) => {
      const begin = instantOf(zone, `${date}T00:00`);
      const end = instantOf(zone, `${dateAfter(date, 1)}T00:00`);
      const items = given.map(([from, length]) => ({
        fromMs: begin + from * 60_000,
        toMs: begin + (from + length) * 60_000,
      }));
      const axis = dayAxis([date], zone);
      const pieces = piecesOf(items, date, axis);
      expect(pieces.map(({ item }) => item)).toEqual(
        expect.arrayContaining(items.filter(({ fromMs, toMs }) => fromMs < end && toMs > begin)),
      );
      for (const [at, piece] of pieces.entries()) {
        expect(piece.from).toBeGreaterThanOrEqual(0);
        expect(piece.to).toBeLessThanOrEqual(axis.minutes);
        expect(piece.lane).toBeLessThan(piece.lanes);
        for (const other of pieces.slice(at + 1))
          if (other.lane === piece.lane) expect(other.from >= piece.to || other.to <= piece.from).toBe(true);
      }
    }),
  );
});

test('a week begins on Monday and has the date, and a month has whole weeks with all of its days', () => {
  fc.assert(
    fc.property(dates, (date) => {
      const week = datesOf('week', date);
      expect(week).toHaveLength(7);
      expect(week).toContain(date);
      const month = datesOf('month', date);
      expect(month.length % 7).toBe(0);
      expect(weekdayOf(month[0] ?? '')).toBe(0);
      const [year = 0, ofYear = 0] = date.split('-').map(Number);
      const length = new Date(Date.UTC(year, ofYear, 0)).getUTCDate();
      expect(month.filter((each) => each.slice(0, 7) === date.slice(0, 7))).toHaveLength(length);
      expect(stepDate('month', stepDate('month', date, 1), -1)).toBe(`${date.slice(0, 8)}01`);
    }),
  );
});

test('where the clocks go forward, a window of two hours covers the hour that they skip; where they go back, both', () => {
  const fromMs = instantOf('Europe/Berlin', '2027-03-28T01:00');
  const axis = dayAxis(['2027-03-28'], 'Europe/Berlin');
  const [piece] = piecesOf([{ fromMs, toMs: fromMs + 7_200_000 }], '2027-03-28', axis);
  expect(piece).toMatchObject({ from: 60, to: 240, lane: 0, lanes: 1 });
  const backMs = instantOf('Europe/Berlin', '2026-10-25T02:30');
  const [long] = piecesOf(
    [{ fromMs: backMs, toMs: backMs + 7_200_000 }],
    '2026-10-25',
    dayAxis(['2026-10-25'], 'Europe/Berlin'),
  );
  expect(long).toMatchObject({ from: 150, to: 270 });
});
