import { hourUs } from '@vantage/domain';
import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import type { Db } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { readProgress } from './progress.ts';
import { createRollUp } from './rollup.ts';

const log = createLog('statistics test', 'silent');
const clock = createFakeClock(Date.UTC(2027, 2, 14, 12) * 1000);
const bucketUs = clock.nowUs() - 3 * hourUs;
let db: Db;

useDatabase(async (opened) => {
  db = opened;
  const rows = createFixtures(db.kysely);
  await rows.device(await rows.account(), []);
});

test('an hour that is being rolled up does not count as finished', async () => {
  await db.kysely
    .insertInto('job_cursors')
    .values({ name: 'roll-up', at_us: clock.nowUs() - hourUs })
    .execute();
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
      { timeout: 60_000 },
    );
    expect(await readProgress(db.kysely)).toEqual({
      rolledToUs: clock.nowUs() - hourUs,
      dirty: new Set([bucketUs]),
    });
  });
  expect(await rolling).toBe(1);
  expect((await readProgress(db.kysely)).dirty).toEqual(new Set());
});
