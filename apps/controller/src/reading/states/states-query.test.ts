import type { Db } from '@vantage/storage';
import { expect, test } from 'vitest';
import { isWidePage, readStatesAsk, statesQuery } from './states-query.ts';

// Without filters nothing is looked up.
const db = {} as Db;
const revision = 'mb1ou4ao-2f6-hqy6qs8cdk';

test.each([
  [{}, 1_000],
  [{ Limit: '10000' }, 10_000],
  [{ Limit: '20000' }, 10_000],
  [{ Limit: '10000', With: 'Tags' }, 1_000],
  [{ Limit: '10000', ChangedSince: revision }, 1_000],
  [{ Limit: '20', With: 'Day' }, 20],
])('the query %j returns at most %i rows', async (query, limit) => {
  expect((await readStatesAsk(db, 1, statesQuery.parse(query))).list.limit).toBe(limit);
});

test.each([
  ['', false],
  ['Limit=1000', false],
  ['Limit=1001', true],
  ['Limit=many', false],
])('whether ?%s is a wide read: %s', (query, isWide) => {
  expect(isWidePage(new URLSearchParams(query))).toBe(isWide);
});
