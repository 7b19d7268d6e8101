import { createLog } from '@vantage/kernel';
import { createTestDatabase } from '@vantage/testing/database';
import { expect, inject, test } from 'vitest';
import { createDb } from '../db.ts';
import { planDistribution, stepsLeft, workerStates } from './distribution-plan.ts';
import {
  areHotTablesDistributed,
  historyTableNames,
  historyTables,
  isDistributed,
} from './history-tables.ts';

test('without Citus nothing is planned, and the reason says what to do', async ({ skip }) => {
  skip(inject('databaseWorkers').length > 0, 'the database has Citus');
  await using database = await createTestDatabase();
  const db = await createDb({ connection: { url: database.url }, log: createLog('plan test', 'silent') });
  try {
    await expect(planDistribution(db.kysely)).rejects.toMatchObject({
      code: 'no_citus',
      message: expect.stringContaining('create extension citus'),
    });
    expect(await workerStates(db.kysely)).toEqual([]);
    expect(await isDistributed(db.kysely)).toBe(false);
    expect(await areHotTablesDistributed(db.kysely)).toBe(false);
  } finally {
    await db.close();
  }
});

test('after any interruption the tables are left that are not in their place, hot ones first, the two of the view together', () => {
  const orders = new Set<string>();
  for (let done = 0; done < 2 ** historyTableNames.length; done += 1) {
    const tables = historyTableNames.map((table, i) => ({
      table,
      place: historyTables[table],
      done: (done & (1 << i)) !== 0,
      bytes: 0,
    }));
    const left = stepsLeft({ tables });
    expect(left.flat().toSorted()).toEqual(tables.flatMap((one) => (one.done ? [] : [one.table])).toSorted());
    for (const tables of left) orders.add(tables.map((table) => historyTables[table]).join());
    const places = left.flat().map((table) => historyTables[table]);
    expect(places).toEqual(places.toSorted());
    if (left.flat().includes('check_rows') && left.flat().includes('check_facts'))
      expect(left[0]).toEqual(['check_rows', 'check_facts']);
  }
  expect(orders).toEqual(new Set(['coordinator,coordinator', 'coordinator', 'workers']));
});
