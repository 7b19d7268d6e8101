import { dayUs } from '@vantage/domain';
import { systemClock as clock, createLog } from '@vantage/kernel';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { runRequests } from '../../agents/run-requests/index.ts';
import { noWorkers } from '../../platform/db/held/index.ts';
import { rollUps } from '../rollup/index.ts';
import { createHeldDrain } from './drain-held.ts';
import type { Fold } from './store-checks.ts';
import { batchOf, minuteUs, result, useIngestFixture } from './testing/ingest-fixture.ts';

const bench = useIngestFixture();
const log = createLog('drain test', 'silent');
beforeEach(async () => {
  for (const table of ['held_checks', 'job_quarantine'])
    await sql`delete from ${sql.table(table)}`.execute(bench.db.kysely);
});

/** Holds a check of each of these starts. */
async function hold(startsUs: readonly number[]) {
  const workers = { ...noWorkers, isDistributed: true, isAway: true };
  const batch = batchOf(...startsUs.map((startUs, i) => result(bench.deviceNos[i] ?? 0, startUs)));
  const taken = await bench.ingestWith(undefined, { workers }).accept(bench.sender, batch);
  expect(taken).toMatchObject({ inserted: startsUs.length });
}

/** Drains what is held, at a moment, with this fold; returns what is left of it, and how often partitions were made. */
async function drain(fold: Fold, nowUs = clock.nowUs()) {
  let made = 0;
  const ensure = async () => {
    made += 1;
  };
  const workers = { ...noWorkers, isDistributed: true, run: async () => {} };
  const drained = await createHeldDrain({
    db: bench.db,
    clock: { ...clock, nowUs: () => nowUs },
    log,
    rollUps,
    runRequests,
    fold,
    workers,
    partitions: { ensure },
    retentionDays: 3,
  }).drain();
  const { rows: left } = await sql`select from held_checks`.execute(bench.db.kysely);
  const { rows } = await sql<{ item: string }>`select item from job_quarantine`.execute(bench.db.kysely);
  const stored = await bench.stored();
  return {
    drained,
    made,
    left: left.length,
    quarantined: rows.map(({ item }) => item),
    stored: stored.map((row) => row.start_us).toSorted((a, b) => a - b),
  };
}

test('a held check that cannot be stored is quarantined, and the others are stored', async () => {
  const startsUs = [4, 3, 2, 1, 0].map((minutes) => clock.nowUs() - minutes * minuteUs);
  await hold(startsUs);
  const bad = bench.deviceNos[2];
  const fold: Fold = async (_trx, rows) => {
    if (rows.some((row) => row.device_no === bad)) throw new TypeError('a bug');
  };
  expect(await drain(fold)).toEqual({
    drained: 5,
    made: 0,
    left: 0,
    quarantined: [`check ${bad}/${startsUs[2]}`],
    stored: startsUs.filter((_, i) => i !== 2),
  });
});

test('a missing partition is made', async () => {
  const startUs = clock.nowUs();
  await hold([startUs]);
  let folds = 0;
  const fold: Fold = async () => {
    folds += 1;
    if (folds === 1)
      throw Object.assign(new Error('no partition of relation "check_rows" found for row'), {
        code: '23514',
      });
  };
  expect(await drain(fold)).toEqual({ drained: 1, made: 1, left: 0, quarantined: [], stored: [startUs] });
});

test('held checks that became older than the retention are dropped', async () => {
  const oldestUs = clock.nowUs() - dayUs;
  await hold([oldestUs - 1, oldestUs, oldestUs + 1]);
  expect(await drain(async () => {}, oldestUs + 3 * dayUs)).toEqual({
    drained: 3,
    made: 0,
    left: 0,
    quarantined: [],
    stored: [oldestUs, oldestUs + 1],
  });
});
