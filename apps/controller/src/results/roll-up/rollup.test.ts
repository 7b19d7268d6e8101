import { hourUs } from '@vantage/domain';
import { histogramOf, percentile } from '@vantage/health';
import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { createPartitions, type Db } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { goodCheck } from '@vantage/testing/good-check';
import { useDatabase } from '@vantage/testing/use-database';
import { beforeEach, expect, test } from 'vitest';
import type { CheckRow } from '../ingest/check-row.ts';
import { insertChecks } from '../ingest/insert-checks.ts';
import { addDirtyHours } from './progress.ts';
import { createRollUp, hoursDue } from './rollup.ts';

const log = createLog('roll-up test', 'silent');
/** Noon of a UTC day. */
const noonUs = Date.UTC(2027, 2, 14, 12) * 1000;
let db: Db;
let deviceNo: number;
const clock = createFakeClock(noonUs);

useDatabase(async (opened) => {
  db = opened;
  await createPartitions({ db, clock, log, retentionDays: 3 }).ensure();
});

beforeEach(async () => {
  const rows = createFixtures(db.kysely);
  deviceNo = await rows.device(await rows.account(), []);
});

function check(startUs: number, values: Partial<CheckRow> = {}): CheckRow {
  return goodCheck(startUs, { device_no: deviceNo, ...values });
}

/** Stores a check as ingest does, in a partition that holds every day. */
async function storeCheck(startUs: number): Promise<void> {
  await createPartitions({ db, clock: { ...clock, nowUs: () => startUs }, log, retentionDays: 3 }).ensure();
  await insertChecks(db.kysely, [check(startUs)]);
}

function rolled(table: 'rollup_hourly' | 'rollup_daily') {
  return db.kysely
    .selectFrom(table)
    .selectAll()
    .where('device_no', '=', deviceNo)
    .orderBy('bucket_us')
    .orderBy('location_no')
    .execute();
}

test('an hour that ended and its day have sums and a histogram; errors and inconclusive results are counted separately', async () => {
  const startUs = noonUs - 2 * hourUs;
  const latencies = [4, 40, 400];
  await insertChecks(db.kysely, [
    ...latencies.map((ttfb_ms, i) => check(startUs + i, { ttfb_ms })),
    check(startUs + 10, { code: 2 }),
    check(startUs + 11, { code: 9 }),
    check(startUs + 12, { location_no: 2, extended: JSON.stringify({ Sent: 5, Received: 3 }) }),
    check(startUs + 13, { location_no: 2, extended: JSON.stringify({ Sent: 'five' }) }),
  ]);
  await createRollUp({ db, clock, log }).run();
  const [one, two] = await rolled('rollup_hourly');
  const totals = latencies.map((ms) => ms + 6);
  expect(one).toMatchObject({
    bucket_us: startUs,
    checks: 5,
    errors: 1,
    inconclusive: 1,
    min_ms: 10,
    max_ms: 406,
  });
  expect(one?.sum_ms).toBeCloseTo(totals.reduce((a, b) => a + b));
  expect(one?.histogram).toEqual(histogramOf(totals));
  expect(Math.abs((percentile(one?.histogram ?? [], 0.5) ?? 0) / 46 - 1)).toBeLessThan(0.02);
  expect(two).toMatchObject({ location_no: 2, checks: 2, sent: 5, lost: 2 });
  const [day] = await rolled('rollup_daily');
  expect(day).toMatchObject({
    bucket_us: noonUs - 12 * hourUs,
    checks: 5,
    errors: 1,
    inconclusive: 1,
    max_ms: 406,
  });
  expect(day?.histogram).toEqual(one?.histogram);
});

test('a late result has its hour and day rolled up again', async () => {
  const startUs = noonUs - 3 * hourUs;
  const rollUp = createRollUp({ db, clock, log });
  await insertChecks(db.kysely, [check(startUs)]);
  await addDirtyHours(db.kysely, [startUs]);
  await rollUp.run();
  expect((await rolled('rollup_hourly')).map((row) => row.checks)).toEqual([1]);
  await insertChecks(db.kysely, [check(startUs + 1), check(startUs + hourUs)]);
  await addDirtyHours(db.kysely, [startUs, startUs + hourUs]);
  expect(await rollUp.run()).toBe(2);
  expect((await rolled('rollup_hourly')).map((row) => row.checks)).toEqual([2, 1]);
  expect((await rolled('rollup_daily')).map((row) => row.checks)).toEqual([3]);
  expect(await rollUp.run()).toBe(0);
});

test('the hour of a killed roll-up is rolled up again', async () => {
  const startUs = noonUs - 5 * hourUs;
  await insertChecks(db.kysely, [check(startUs)]);
  await db.kysely
    .insertInto('job_cursors')
    .values({ name: `roll-up doing ${startUs}`, at_us: startUs })
    .execute();
  await createRollUp({ db, clock, log }).run();
  expect((await rolled('rollup_hourly')).map((row) => row.checks)).toEqual([1]);
});

test.each([hourUs, 24 * hourUs, 60 * 24 * hourUs])(
  'after an hour in which the clock was ahead by %s µs, each hour that ends has its sums',
  async (aheadUs) => {
    const startUs = noonUs + 100 * hourUs;
    let nowUs = startUs;
    const rollUp = createRollUp({ db, clock: { ...clock, nowUs: () => nowUs }, log });
    await rollUp.run();
    const perHour = 3;
    for (let hour = 0; hour < 5; hour += 1) {
      // The results of the second hour have the times of the wrong clock.
      const errorUs = hour === 1 ? aheadUs : 0;
      for (let i = 0; i < perHour; i += 1) {
        const trueUs = startUs + hour * hourUs + i * 1_000_000;
        await storeCheck(trueUs + errorUs);
        nowUs = trueUs + errorUs;
        await rollUp.run();
      }
    }
    nowUs = startUs + 6 * hourUs;
    await rollUp.run();
    const sums = await rolled('rollup_hourly');
    const stored = await db.kysely
      .selectFrom('checks')
      .select('start_us')
      .where('device_no', '=', deviceNo)
      .execute();
    const ended = stored.filter(({ start_us }) => start_us < startUs + 5 * hourUs);
    const hours = Map.groupBy(ended, ({ start_us }) => start_us - (start_us % hourUs));
    const counted = sums.filter(({ bucket_us }) => bucket_us < startUs + 5 * hourUs);
    expect(new Map(counted.map(({ bucket_us, checks }) => [bucket_us, checks]))).toEqual(
      new Map([...hours].sort(([a], [b]) => a - b).map(([hour, checks]) => [hour, checks.length])),
    );
    expect(ended.length).toBeGreaterThanOrEqual(4 * perHour);
  },
);

test.each([
  ['nothing before the hour has settled', 10 * hourUs, 11 * hourUs + 60_000_000, []],
  ['the hour once it has', 10 * hourUs, 11 * hourUs + 120_000_000, [10 * hourUs]],
  ['all hours of an outage', 10 * hourUs, 13 * hourUs, [10 * hourUs, 11 * hourUs]],
  ['nothing when the clock went back', 10 * hourUs, 9 * hourUs, []],
])('hours due: %s', (_what, position, now, due) => {
  expect(hoursDue(position, now)).toEqual(due);
});
