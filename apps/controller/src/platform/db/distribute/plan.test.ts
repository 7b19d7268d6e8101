import { createLog } from '@vantage/kernel';
import { expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../../../tests/harness/database.ts';
import { createDb } from '../db.ts';
import { stages } from './history-tables.ts';
import { planDistribution, stagesLeft, workerStates } from './plan.ts';

const tables = stages.flat();

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
  } finally {
    await db.close();
  }
});

test('after an interruption the stages are left that have a table on the coordinator', () => {
  for (let done = 0; done <= tables.length; done += 1) {
    const plan = { tables: tables.map((table, i) => ({ table, done: i < done, bytes: 0 })) };
    const left = stagesLeft(plan);
    expect(left.flat()).toEqual(expect.arrayContaining(tables.slice(done)));
    expect(left.every((stage) => stage.some((table) => tables.indexOf(table) >= done))).toBe(true);
  }
});
