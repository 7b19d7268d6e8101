import { dayUs, hourUs } from '@vantage/domain';
import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { createPartitions, type Db } from '@vantage/storage';
import { sampleDay } from '@vantage/storage/packed/testing/sample-day';
import { createFixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { insertChecks } from '../ingest/insert-checks.ts';
import { createDayPacker } from '../packing/pack-days.ts';
import { compareSums } from './compare-sums.ts';
import { rollUps } from './index.ts';
import { createSumSampler } from './sum-sampler.ts';

const nowUs = Date.UTC(2027, 2, 14, 12) * 1000;
const clock = createFakeClock(nowUs);
const log = createLog('sum sampler test', 'silent');
const today = nowUs - 12 * hourUs;
const retentionDays = 6;
/** The days that are packed end before this. */
const packedToUs = today - 2 * dayUs;
let db: Db;
let deviceNo = 0;
let locationNo = 0;
const lines: { readonly text: string; readonly data: object }[] = [];

useDatabase(async (opened) => {
  db = opened;
});

beforeAll(async () => {
  await createPartitions({ db, clock, log, retentionDays }).ensure();
  const make = createFixtures(db.kysely);
  const accountNo = await make.account();
  locationNo = await make.location(accountNo);
  const { agentNo } = await make.agent({ accountNo, locationNo });
  deviceNo = await make.device(accountNo, [locationNo]);
  await sql`insert into value_series (device_no, series_no, label, unit)
    values (${deviceNo}, 1, 'queue', ''), (${deviceNo}, 17, 'temperature', '°C')`.execute(db.kysely);
  for (let begin = today - 4 * dayUs; begin < today; begin += dayUs) {
    const rows = sampleDay('PING', { deviceNo, dayUs: begin, checks: 96, agentNo, locationNo });
    const checks = rows.map(withErrors).map(withValues);
    await db.kysely.transaction().execute((trx) => insertChecks(trx, checks));
  }
  await rollUps.createRollUp({ db, clock, log }).run();
  const packer = createDayPacker({
    db,
    clock,
    log,
    afterDays: 2,
    retentionDays,
    isRolledUp: rollUps.isRolledUp,
  });
  expect(await packer.run()).toBe(true);
  await rollUps.retireDays(db.kysely, { nowUs, retentionDays });
});

beforeEach(async () => {
  lines.length = 0;
  await sql`delete from sum_differences`.execute(db.kysely);
});

/** One check in 37 is bad, one in 41 a retry. */
function withErrors<T extends { code: number; attempt: number }>(row: T, i: number): T {
  if (i % 37 === 5) return { ...row, code: 2 };
  return i % 41 === 7 ? { ...row, attempt: 1, retry_id: `retry ${i}` } : row;
}

/** Two series, which are in two blocks; the second one is in every third check. */
function withValues<T extends { measured: readonly (number | null)[] | null }>(row: T, i: number): T {
  const others = Array.from({ length: 15 }, () => null);
  return { ...row, measured: i % 3 === 0 ? [i % 7, ...others, Math.sin(i) * 40] : [i % 7] };
}

function compareAll() {
  return compareSums(db.kysely, {
    clock,
    days: undefined,
    withinMs: undefined,
    random: Math.random,
    say: () => {},
  });
}

/** A sampler that looks at this day of the only device; its lines are kept. */
function samplerOf(dayBeginUs: number) {
  const keep = (data: object, text: string) => void lines.push({ data, text });
  const noted = { ...log, warn: keep, error: keep } as typeof log;
  const place = (dayBeginUs - (today - retentionDays * dayUs)) / dayUs / (retentionDays + 1);
  return createSumSampler({ db, clock, log: noted, holder: 'one', random: () => place + 1e-9 });
}

function rowsOf(table: 'rollup_hourly' | 'rollup_daily') {
  return db.kysely.selectFrom(table).selectAll().orderBy('bucket_us').orderBy('location_no').execute();
}

function valueRows(table: 'value_hourly' | 'value_daily') {
  return db.kysely
    .selectFrom(table)
    .selectAll()
    .orderBy('bucket_us')
    .orderBy('location_no')
    .orderBy('block_no')
    .execute();
}

async function findings() {
  const { rows } = await sql`select outcome, day_us from sum_differences`.execute(db.kysely);
  return rows;
}

test('all sums agree with their checks, packed or not', async () => {
  expect(await compareAll()).toEqual({
    hours: 96,
    days: 4,
    packed_days: 2,
    repaired: 0,
    damaged: 0,
    failed: 0,
    faults: [],
  });
});

const packedHour = packedToUs - dayUs + 5 * hourUs;
const rowHour = today - dayUs + 7 * hourUs;

test.each([
  ['the number of checks', packedHour, 'checks = checks + 7'],
  ['the number of checks of an hour that is not packed', rowHour, 'checks = checks - 1'],
  ['the sum of times', packedHour, 'sum_ms = sum_ms + 0.001'],
  ['the least time', rowHour, 'min_ms = min_ms / 2'],
  ['lost packets', packedHour, 'lost = lost + 1'],
  ['the histogram', rowHour, "histogram = '{{3,4}}'"],
  ['the sums of phases', packedHour, 'phase_sums[2] = phase_sums[2] + 1'],
  ['the histogram of phases', packedHour, "phase_histogram = ''"],
  ['the Location', rowHour, 'location_no = 999'],
])('%s: a corrupted hour is computed again and reported, with its day', async (_what, hour, change) => {
  const before = [await rowsOf('rollup_hourly'), await rowsOf('rollup_daily')];
  await sql`update rollup_hourly set ${sql.raw(change)} where bucket_us = ${hour}`.execute(db.kysely);
  expect(await rowsOf('rollup_hourly')).not.toEqual(before[0]);
  const dayBeginUs = hour - (hour % dayUs);
  const sampler = samplerOf(dayBeginUs);
  await sampler.round();
  expect([await rowsOf('rollup_hourly'), await rowsOf('rollup_daily')]).toEqual(before);
  expect(sampler.counts.differing).toMatchObject({ repaired: 1, damaged: 0, missing: 0 });
  expect(await findings()).toEqual([{ outcome: 'repaired', day_us: dayBeginUs }]);
  expect(lines).toContainEqual({
    text: 'the sums of an hour differed from its checks; they were computed again',
    data: expect.objectContaining({ deviceNo, locationNo, hour: new Date(hour / 1000).toISOString() }),
  });
});

test.each([
  [
    'a packed hour',
    packedHour,
    'update value_hourly set sums = (select sums from value_hourly order by bucket_us limit 1)',
  ],
  [
    'an hour of rows',
    rowHour,
    'update value_hourly set sums = (select sums from value_hourly order by bucket_us limit 1)',
  ],
  ['damaged bytes', packedHour, "update value_hourly set sums = '\\x0101'"],
  ['bytes of a later version', rowHour, "update value_hourly set sums = '\\x09'"],
  ['a lost row', rowHour, 'delete from value_hourly'],
  ['another Location', packedHour, 'update value_hourly set location_no = 999'],
])('sums of values are computed again and reported, with their day: %s', async (_what, hour, change) => {
  const before = [await valueRows('value_hourly'), await valueRows('value_daily')];
  expect(before.map((rows) => rows.length)).toEqual([2 * 96, 2 * 4]);
  await sql`${sql.raw(change)} where bucket_us = ${hour} and block_no = 1`.execute(db.kysely);
  expect(await valueRows('value_hourly')).not.toEqual(before[0]);
  const dayBeginUs = hour - (hour % dayUs);
  const sampler = samplerOf(dayBeginUs);
  await sampler.round();
  expect([await valueRows('value_hourly'), await valueRows('value_daily')]).toEqual(before);
  expect(sampler.counts.differing).toMatchObject({ repaired: 1, damaged: 0, missing: 0, failed: 0 });
  expect(await findings()).toEqual([{ outcome: 'repaired', day_us: dayBeginUs }]);
});

test('the sums of values of a day are compared with its hours', async () => {
  const before = await valueRows('value_daily');
  await sql`update value_daily set sums = (select sums from value_daily where block_no = 1 order by bucket_us limit 1)
    where block_no = 0`.execute(db.kysely);
  expect(await compareAll()).toMatchObject({ repaired: 4, damaged: 0, failed: 0 });
  expect(await valueRows('value_daily')).toEqual(before);
});

test('a lost hour and a corrupted day are computed again by one comparison of all sums', async () => {
  const before = [await rowsOf('rollup_hourly'), await rowsOf('rollup_daily')];
  await sql`delete from rollup_hourly where bucket_us = ${packedHour}`.execute(db.kysely);
  await sql`update rollup_daily set errors = errors + 1 where bucket_us = ${today - dayUs}`.execute(
    db.kysely,
  );
  expect(await compareAll()).toMatchObject({
    repaired: 2,
    damaged: 0,
    faults: [
      expect.stringContaining('the sums of 05:00 UTC differed from their checks'),
      expect.stringContaining('the sums of the day differed from its hours'),
    ],
  });
  expect([await rowsOf('rollup_hourly'), await rowsOf('rollup_daily')]).toEqual(before);
  expect(await compareAll()).toMatchObject({ repaired: 0, damaged: 0 });
});

test('sums that wait for the roll-up, or were rolled up by version 0.2.0, do not differ', async () => {
  await sql`update rollup_hourly set checks = 1 where bucket_us = ${packedHour}`.execute(db.kysely);
  await sql`update rollup_daily set checks = (select sum(checks) from rollup_hourly h
    where h.bucket_us - h.bucket_us % ${dayUs} = rollup_daily.bucket_us)`.execute(db.kysely);
  await rollUps.addDirtyHours(db.kysely, [packedHour]);
  expect(await compareAll()).toMatchObject({ hours: 95, repaired: 0 });
  await sql`delete from rollup_dirty`.execute(db.kysely);
  expect(await compareAll()).toMatchObject({ hours: 96, repaired: 1 });
  await sql`update rollup_hourly set phase_sums = null, phase_histogram = null`.execute(db.kysely);
  await sql`update rollup_daily set phase_sums = null, phase_histogram = null`.execute(db.kysely);
  expect(await compareAll()).toMatchObject({ hours: 96, repaired: 0 });
});

test.each([
  ['bytes that cannot be unpacked', "facts = '\\x0102'"],
  ['bytes with other checks', 'facts = (select facts from packed_checks order by day_us limit 1)'],
])(
  'damaged checks are reported once, keep their sums, and the report ends when they are restored: %s',
  async (_what, change) => {
    const dayBeginUs = packedToUs - dayUs;
    const sums = await rowsOf('rollup_hourly');
    const { rows: packed } = await sql<{ facts: Uint8Array }>`
    select facts from packed_checks where day_us = ${dayBeginUs}`.execute(db.kysely);
    await sql`update packed_checks set ${sql.raw(change)} where day_us = ${dayBeginUs}`.execute(db.kysely);
    const sampler = samplerOf(dayBeginUs);
    await sampler.round();
    await sampler.round();
    expect(lines.map(({ text }) => text)).toEqual([
      'the checks of a day are damaged or missing; its sums are kept',
    ]);
    expect(sampler.counts.differing).toMatchObject({ repaired: 0, missing: 0 });
    expect(await findings()).toEqual([{ outcome: 'damaged', day_us: dayBeginUs }]);
    expect(await compareAll()).toMatchObject({
      repaired: 0,
      damaged: 1,
      faults: [expect.stringContaining('packed')],
    });
    expect(await rowsOf('rollup_hourly')).toEqual(sums);
    await sql`update packed_checks set facts = ${packed[0]?.facts} where day_us = ${dayBeginUs}`.execute(
      db.kysely,
    );
    // Another day is sampled: the one with the finding is looked at again all the same.
    await samplerOf(today - dayUs).round();
    expect(await findings()).toEqual([]);
  },
);

test('a packed day that is gone leaves its sums', async () => {
  const dayBeginUs = packedToUs - dayUs;
  const sums = await rowsOf('rollup_hourly');
  await sql`create table kept as select * from packed_checks`.execute(db.kysely);
  await sql`delete from packed_checks where day_us = ${dayBeginUs}`.execute(db.kysely);
  expect(await compareAll()).toMatchObject({ repaired: 0, damaged: 1 });
  expect(await rowsOf('rollup_hourly')).toEqual(sums);
  await sql`insert into packed_checks select * from kept on conflict do nothing`.execute(db.kysely);
  expect(await compareAll()).toMatchObject({ repaired: 0, damaged: 0 });
  expect(await findings()).toEqual([]);
});
