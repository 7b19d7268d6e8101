import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  changedDays,
  dateAfter,
  daysOf,
  momentsOf,
  neighbour,
  parseSpan,
  type ReportSpan,
  spanAround,
  spanOfDays,
  spanText,
} from './report-span.ts';
import { spanWords } from './report-words.ts';

const dateIn = (zone: string, ms: number) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(ms);

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Asia/Kathmandu',
];
const date = fc.integer({ min: 365, max: 40_000 }).map((days) => dateAfter('1970-01-01', days));
const span: fc.Arbitrary<ReportSpan> = fc.oneof(
  fc.tuple(fc.constantFrom('month', 'quarter'), date).map(([kind, at]) => spanAround(kind, at)),
  fc
    .tuple(date, fc.integer({ min: 0, max: 200 }))
    .map(([first, days]) => ({ kind: 'days' as const, first, last: dateAfter(first, days) })),
);

test('a span is what its text in an address says', () => {
  fc.assert(
    fc.property(span, (given) => {
      expect(parseSpan(spanText(given))).toEqual(given);
    }),
  );
});

test.each([
  ['2026-10', '2026-10-01', '2026-10-31', 'October 2026'],
  ['2028-02', '2028-02-01', '2028-02-29', 'February 2028'],
  ['2026-q4', '2026-10-01', '2026-12-31', 'the 4th quarter of 2026'],
  ['2026-10-03..2026-10-14', '2026-10-03', '2026-10-14', '3 to 14 October 2026'],
  ['2026-10-03..2026-11-14', '2026-10-03', '2026-11-14', '3 October to 14 November 2026'],
  ['2025-12-31..2026-01-01', '2025-12-31', '2026-01-01', '31 December 2025 to 1 January 2026'],
  ['2026-10-03..2026-10-03', '2026-10-03', '2026-10-03', '3 October 2026'],
])('%s are the days from %s to %s: %s', (text, first, last, words) => {
  const parsed = parseSpan(text);
  expect(parsed).toMatchObject({ first, last });
  expect(parsed && spanWords(parsed).replaceAll('\u00a0', ' ')).toBe(words);
});

test.each([
  '',
  '2026',
  '2026-13',
  '2026-q5',
  '2026-10-32..2026-11-01',
  '2026-11-01..2026-10-01',
  '1960-01',
  '2026-10-01..',
  '2020-01-01..2026-01-01',
  '<b>',
])('"%s" names no span', (text) => {
  expect(parseSpan(text)).toBe(undefined);
});

test('neighbours touch without a gap, and one is the other’s neighbour', () => {
  fc.assert(
    fc.property(span, (given) => {
      const next = neighbour(given, 1);
      expect(next.first).toBe(dateAfter(given.last));
      expect(neighbour(next, -1)).toEqual(given);
      expect(spanOfDays(given.first, given.last)).toMatchObject({ first: given.first, last: given.last });
    }),
  );
});

test('a span begins with the first moment of its first day and ends with that of the day after, in every zone', () => {
  fc.assert(
    fc.property(span, fc.constantFrom(...zones), (given, zone) => {
      const { from, to } = momentsOf(given, zone);
      expect([dateIn(zone, from - 1_000), dateIn(zone, from)]).toEqual([
        dateAfter(given.first, -1),
        given.first,
      ]);
      expect([dateIn(zone, to - 1_000), dateIn(zone, to)]).toEqual([given.last, dateAfter(given.last)]);
      const hours = changedDays(given, zone).reduce((sum, each) => sum + each.hours - 24, daysOf(given) * 24);
      expect((to - from) / 3_600_000).toBe(hours);
    }),
  );
});

test('days on which the clocks are changed are named with their hours', () => {
  const october = { kind: 'month', first: '2026-10-01', last: '2026-10-31' } as const;
  expect(changedDays(october, 'Europe/Berlin')).toEqual([{ date: '2026-10-25', hours: 25 }]);
  expect(changedDays(october, 'UTC')).toEqual([]);
  // Until 2011 the clocks of Newfoundland went back at one minute past midnight.
  const before = { kind: 'month', first: '2009-10-01', last: '2009-10-31' } as const;
  expect(changedDays(before, 'America/St_Johns')).toEqual([{ date: '2009-10-31', hours: 25 }]);
  // Midnight is skipped there: the day begins at 1 o'clock.
  const september = { kind: 'month', first: '2026-09-01', last: '2026-09-30' } as const;
  expect(changedDays(september, 'America/Santiago')).toEqual([{ date: '2026-09-06', hours: 23 }]);
});
