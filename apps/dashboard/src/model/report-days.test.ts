import { parseSpan, type ReportSpan } from '@vantage/domain/report';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { partsOfSpan, reportParts } from './report-days.ts';
import type { StatusInterval } from './timeline.ts';

const spanOf = (text: string): ReportSpan => {
  const span = parseSpan(text);
  if (span === undefined) throw new RangeError(text);
  return span;
};
const at = (text: string) => Date.parse(text);
const zone = 'Europe/Berlin';

test('a month has its days, and a long span has months that are cut to it', () => {
  expect(partsOfSpan(spanOf('2026-10'))).toHaveLength(31);
  expect(partsOfSpan(spanOf('2026-q4'))).toHaveLength(92);
  const months = partsOfSpan(spanOf('2026-01-15..2026-05-02'));
  expect(months.map(({ kind, first, last }) => `${kind} ${first} ${last}`)).toEqual([
    'days 2026-01-15 2026-01-31',
    'month 2026-02-01 2026-02-28',
    'month 2026-03-01 2026-03-31',
    'month 2026-04-01 2026-04-30',
    'days 2026-05-01 2026-05-02',
  ]);
});

test('a day of 25 hours has 25, an outage is divided at midnight, and the rest of an open day is left out', () => {
  const intervals = new Map<string, readonly StatusInterval[]>([
    [
      'a',
      [
        { start: at('2026-10-24T00:00+02:00'), end: at('2026-10-25T23:30+01:00'), status: 'Up' },
        { start: at('2026-10-25T23:30+01:00'), end: at('2026-10-26T01:00+01:00'), status: 'Down' },
      ],
    ],
  ]);
  const until = at('2026-10-26T01:00+01:00');
  const span = spanOf('2026-10-25..2026-10-27');
  const parts = reportParts({ span, zone, until, intervals, excluded: [] });
  expect(parts.map(({ up, down, unknown }) => [up / 3_600, down / 3_600, unknown])).toEqual([
    [24.5, 0.5, 0],
    [0, 1, 0],
    [0, 0, 0],
  ]);
});

test('an excluded outage of one device is not Down, that of another stays', () => {
  const down = (from: number, to: number): StatusInterval => ({ start: from, end: to, status: 'Down' });
  const from = at('2026-10-01T00:00+02:00');
  const intervals = new Map([
    ['a', [down(from, from + 60_000), down(from + 120_000, from + 180_000)]],
    ['b', [down(from, from + 60_000)]],
  ]);
  const excluded = [{ device: 'a', from: from + 120_000, to: from + 180_000 }];
  const [day] = reportParts({
    span: spanOf('2026-10-01..2026-10-01'),
    zone,
    until: from + 180_000,
    intervals,
    excluded,
  });
  expect(day).toMatchObject({ up: 0, down: 120, excluded: 60, unknown: 180 });
});

test('property: the parts add up to the time of all devices, whatever the intervals are', () => {
  const span = spanOf('2026-10');
  const begin = at('2026-10-01T00:00+02:00');
  const lengths = fc.array(
    fc.tuple(fc.integer({ min: 1, max: 5 * 86_400 }), fc.constantFrom('Up', 'Down', 'Maint', 'Unknown')),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(fc.array(lengths, { minLength: 1, maxLength: 4 }), (devices) => {
      const until = begin + 20 * 86_400_000;
      const sums = { Up: 0, Down: 0, Maint: 0, Unknown: 0 };
      const intervals = new Map(
        devices.map((own, device) => {
          let start = begin;
          const rows = own.flatMap(([seconds, status]): readonly StatusInterval[] => {
            const end = Math.min(until, start + seconds * 1_000);
            const row = { start, end, status };
            sums[status] += (end - start) / 1_000;
            start = end;
            return row.end > row.start ? [row] : [];
          });
          return [String(device), rows] as const;
        }),
      );
      const parts = reportParts({ span, zone, until, intervals, excluded: [] });
      const sumOf = (name: 'up' | 'down' | 'maintenance' | 'unknown') =>
        parts.reduce((sum, part) => sum + part[name], 0);
      expect([sumOf('up'), sumOf('down'), sumOf('maintenance')]).toEqual([sums.Up, sums.Down, sums.Maint]);
      const observed = sumOf('up') + sumOf('down') + sumOf('maintenance');
      expect(observed + sumOf('unknown')).toBe(20 * 86_400 * devices.length);
    }),
    { numRuns: 50 },
  );
});
