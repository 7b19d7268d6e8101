import { hourUs } from '@vantage/domain';
import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/harness/database.ts';
import { createDb, type Db } from '../db/index.ts';
import { createFixtures } from '../testing/fixtures.ts';
import { readProgress } from './progress.ts';
import { createRollUp } from './rollup.ts';

const log = createLog('statistics test', 'silent');
const clock = createFakeClock(Date.UTC(2027, 2, 14, 12) * 1000);
const bucketUs = clock.nowUs() - 3 * hourUs;
let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await createTestDatabase();
  db = await createDb({ connection: { url: database.url }, log });
  const rows = createFixtures(db.kysely);
  await rows.device(await rows.account(), []);
});

afterAll(async () => {
  await db.close();
  await database[Symbol.asyncDispose]();
});

test('an hour that is being rolled up does not count as finished', async () => {
  await db.kysely.insertInto('job_cursors').values({ name: 'roll-up', at_us: clock.nowUs() }).execute();
  await db.kysely.insertInto('rollup_dirty').values({ bucket_us: bucketUs }).execute();
  let rolling: Promise<number> | undefined;
  await db.kysely.transaction().execute(async (trx) => {
    await sql`lock table rollup_hourly in access exclusive mode`.execute(trx);
    rolling = createRollUp({ db, clock, log }).run();
    await vi.waitFor(
      async () => {
        const { rows } = await sql`select 1 from rollup_dirty`.execute(db.kysely);
        expect(rows).toHaveLength(0);
      },
      { timeout: 10_000 },
    );
    expect(await readProgress(db.kysely)).toEqual({ rolledToUs: clock.nowUs(), dirty: new Set([bucketUs]) });
  });
  expect(await rolling).toBe(1);
  expect((await readProgress(db.kysely)).dirty).toEqual(new Set());
});
