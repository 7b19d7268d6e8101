import { expect, test } from 'vitest';
import { readListFilter } from './list-filter.ts';
import { outageQuery, outageRules, spanOf } from './outage-filter.ts';

const filterOf = (text: string) => readListFilter(outageRules, new URLSearchParams(text));
const nowMs = Date.parse('2026-03-29T12:00:00Z');
const oslo = { zone: 'Europe/Oslo', nowMs };
const iso = ({ from, to }: { from: number; to: number }) =>
  [from, to].map((ms) => new Date(ms).toISOString());

test('without a filter the span is the last seven days', () => {
  expect(iso(spanOf(filterOf(''), oslo))).toEqual(['2026-03-22T12:00:00.000Z', '2026-03-29T12:00:00.000Z']);
  expect(iso(spanOf(filterOf('span=1'), oslo))[0]).toBe('2026-03-28T12:00:00.000Z');
});

test('days are those of the zone, also the one on which the clocks change', () => {
  const filter = filterOf('from=2026-03-28&to=2026-03-28&tag=berlin&open=yes');
  expect(iso(spanOf(filter, oslo))).toEqual(['2026-03-27T23:00:00.000Z', '2026-03-28T23:00:00.000Z']);
  expect(outageQuery(filter, 0)).toEqual({
    Timestamp1: '2026-03-28T00:00:00',
    Timestamp2: '2026-03-28T23:59:59',
    Tag: 'berlin',
    Open: 'true',
  });
  // A span ends now at the latest.
  expect(iso(spanOf(filterOf('from=2026-03-29&to=2026-04-02'), oslo))).toEqual([
    '2026-03-28T23:00:00.000Z',
    '2026-03-29T12:00:00.000Z',
  ]);
});

test('a span that ends before it begins is still a span', () => {
  const { from, to } = spanOf(filterOf('from=2026-03-20&to=2026-03-10'), oslo);
  expect(to).toBeGreaterThan(from);
});
