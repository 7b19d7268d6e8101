import { dayUs, hourMs, hourUs } from '@vantage/domain';
import { type Clock, createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { createPartitions, type Db, startOfDay } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { createHousekeeping } from './housekeeping.ts';

const log = createLog('housekeeping test', 'silent');
const soon = { timeout: 60_000, interval: 5 };
const startUs = Date.UTC(2027, 2, 14, 12) * 1000;
const retentionDays = 3;
const halfMinuteMs = 30_000;
let db: Db;

useDatabase((opened) => {
  db = opened;
});

beforeEach(() => sql`delete from leases`.execute(db.kysely));

type Deps = Parameters<typeof createHousekeeping>[0];

/** The jobs of a controller; each call is noted. Disposing ends the loop. */
function keep(holder: string, deps: Partial<Deps> = {}) {
  const clock = createFakeClock(startUs);
  const ending = new AbortController();
  const calls: string[] = [];
  /** The moments that deletions of other steps got, by their names. */
  const moments: Record<string, number> = {};
  /** The jobs that fail or leave work next. */
  const next = { fails: new Set<string>(), isLeft: new Set<string>() };
  let firstJob = Promise.resolve();
  const note = (name: string, atUs?: number) => {
    calls.push(name);
    if (atUs !== undefined) moments[name] = atUs;
    if (next.fails.delete(name)) throw new Error(`${name} failed`);
    return !next.isLeft.delete(name);
  };
  const deletes = (name: string) => async (_kysely: Db['kysely'], beforeUs: number) =>
    void note(name, beforeUs);
  let isAsleep = false;
  const sleep: Clock['sleep'] = async (...given) => {
    isAsleep = true;
    await clock.sleep(...given).finally(() => {
      isAsleep = false;
    });
  };
  const housekeeping = createHousekeeping({
    db,
    clock: { ...clock, sleep },
    log,
    holder,
    retentionDays,
    partitions: {
      ensure: async () => void note('ensure'),
      drop: async (nowUs) => {
        note('drop', nowUs);
        return [];
      },
      narrowIndex: async () => note('narrow'),
    },
    rollUp: { run: async () => void note('roll-up') },
    packer: { run: async () => note('pack') },
    deleteRunRequests: deletes('run requests'),
    deleteControllers: deletes('controllers'),
    deleteOldAnswers: deletes('answers'),
    deleteOldMarks: deletes('marks'),
    trim: deletes('trim'),
    takeWaiting: async () => {
      await firstJob;
      note('waiting');
    },
    ...deps,
  });
  const done = housekeeping.run(ending.signal);
  const slept = () => expect.poll(() => isAsleep, soon).toBe(true);
  return {
    clock,
    next,
    moments,
    /** The calls of the round that ends next; `tookMs`: its first job takes so long. */
    async round(tookMs?: number): Promise<readonly string[]> {
      if (tookMs !== undefined) {
        const { promise, resolve } = Promise.withResolvers<void>();
        firstJob = promise;
        await clock.advance(halfMinuteMs);
        clock.spend(tookMs);
        resolve();
      }
      await slept();
      return calls.splice(0);
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
      await done;
    },
  };
}

const deletions = ['drop', 'run requests', 'controllers', 'answers', 'marks', 'trim'];
const all = ['waiting', 'ensure', ...deletions, 'roll-up', 'narrow', 'pack'];
const each = ['waiting', 'roll-up'];

test('everything is done in the first round, and again an hour after it was', async () => {
  await using one = keep('one');
  expect(await one.round()).toEqual(all);
  expect(await one.round(0)).toEqual(each);
  expect(await one.round(hourMs - 2 * halfMinuteMs - 1)).toEqual(each);
  expect(await one.round(0)).toEqual(all);
});

test('an hour is over when it is', async () => {
  await using one = keep('one');
  expect(await one.round()).toEqual(all);
  expect(await one.round(hourMs - halfMinuteMs)).toEqual(all);
});

test('a job that fails, or leaves work, is done in the next round again and stops no other', async () => {
  await using one = keep('one');
  for (const name of all) one.next.fails.add(name);
  expect(await one.round()).toEqual(all);
  for (const name of ['narrow', 'pack']) one.next.isLeft.add(name);
  expect(await one.round(0)).toEqual(all);
  expect(await one.round(0)).toEqual(['waiting', 'roll-up', 'narrow', 'pack']);
  expect(await one.round(0)).toEqual(each);
});

test('one controller does the work, the other one when the first ends; each takes waiting records in again', async () => {
  const one = keep('one');
  expect(await one.round()).toEqual(all);
  await using other = keep('other');
  expect(await other.round()).toEqual(['waiting']);
  await one[Symbol.asyncDispose]();
  expect(await other.round(0)).toEqual(all);
});

const expiresUs = async () => {
  const row = await db.kysely.selectFrom('leases').select('expires_us').executeTakeFirstOrThrow();
  return Number(row.expires_us);
};

test('a job that lasts longer than the lease keeps it', async () => {
  const { promise: rolledUp, resolve } = Promise.withResolvers<void>();
  await using one = keep('one', { rollUp: { run: () => rolledUp } });
  await expect.poll(() => db.kysely.selectFrom('leases').select('name').execute(), soon).toHaveLength(1);
  // As if more than two thirds of its time were over.
  await sql`update leases set expires_us = expires_us - 85000000`.execute(db.kysely);
  const firstUs = await expiresUs();
  await one.clock.advance(20_000);
  await expect.poll(expiresUs, soon).toBeGreaterThan(firstUs);
  resolve();
  expect(await one.round()).toContain('pack');
});

test('a controller that lost the lease during a job does no further one', async () => {
  const { promise: rolledUp, resolve } = Promise.withResolvers<void>();
  await using one = keep('one', { rollUp: { run: () => rolledUp } });
  await expect.poll(() => db.kysely.selectFrom('leases').select('name').execute(), soon).toHaveLength(1);
  await db.kysely.updateTable('leases').set({ holder: 'other', epoch: 2 }).execute();
  await one.clock.advance(40_000);
  // Longer than the lease lasts without a renewal.
  one.clock.spend(120_001);
  resolve();
  expect(await one.round()).not.toContain('pack');
});

test('while the clock may be wrong nothing is deleted by its age', async () => {
  await using one = keep('one', { mayDelete: () => false });
  expect(await one.round()).toEqual(all.filter((name) => !deletions.includes(name)));
});

test.each([
  ['the proven time, where the clock is ahead of it', startUs - 5 * hourUs, startUs - 5 * hourUs],
  ['the clock, where that is behind the proven time', startUs + 5 * hourUs, startUs],
])('ages count from %s', async (_what, provenUs, nowUs) => {
  await using one = keep('one', { provenUs: async () => provenUs });
  await one.round();
  expect(one.moments).toEqual({
    drop: nowUs,
    'run requests': nowUs - dayUs,
    controllers: nowUs - dayUs,
    answers: nowUs - dayUs,
    marks: nowUs,
    trim: nowUs - retentionDays * dayUs,
  });
});

test('after a time in which the clock was ahead, each round clamps the times that were stored then', async () => {
  const aheadUs = startUs + 3 * dayUs;
  const startController = () =>
    sql`insert into controllers (controller_id, started_us, last_seen_us) values ('ahead', 1, ${aheadUs})
      on conflict (controller_id) do update set last_seen_us = ${aheadUs}`.execute(db.kysely);
  const isAhead = async () =>
    (await db.kysely.selectFrom('controllers').select('last_seen_us').execute())[0]?.last_seen_us === aheadUs;
  let wasAhead = false;
  await startController();
  await using one = keep('one', { wasAhead: () => wasAhead });
  await one.round();
  expect(await isAhead()).toBe(false);
  await startController();
  await one.round(0);
  expect(await isAhead()).toBe(true);
  wasAhead = true;
  await one.round(0);
  expect(await isAhead()).toBe(false);
});

test('without a packer the other jobs are done', async () => {
  await using one = keep('one', { packer: undefined });
  expect(await one.round()).toEqual(all.filter((name) => name !== 'pack'));
  expect(one.moments['drop']).toBe(startUs);
});

/** One round of all jobs; returns the moments that other steps got. */
async function keepOnce() {
  await using one = keep('one');
  expect(await one.round()).toEqual(all);
  return one.moments;
}

test('rows are kept for their time and not longer', async () => {
  const rows = createFixtures(db.kysely);
  const accountNo = await rows.account();
  const locationNo = await rows.location(accountNo);
  const { agentNo } = await rows.agent({ accountNo, locationNo });
  const deviceNo = await rows.device(accountNo, [locationNo]);
  const retainedUs = startUs - retentionDays * dayUs;
  const monthUs = startUs - 30 * dayUs;
  const aged = [
    {
      column: 'received_us',
      from: 'quarantined',
      values: (us: number) => `default, ${agentNo}, ${us}, 'x', '{}', false`,
      keptUs: monthUs,
    },
    {
      column: 'last_failed_us',
      from: 'job_quarantine',
      values: (us: number) => `'job', '${us}', 'x', 1, ${us}`,
      keptUs: monthUs,
    },
    {
      column: 'received_us',
      from: 'pending_diagnostics',
      values: (us: number) => `${agentNo}, ${deviceNo}, 1, '{}', ${us}`,
      keptUs: startUs - 8 * dayUs,
    },
    {
      column: 'at_us',
      from: 'clock_records',
      values: (us: number) => `${agentNo}, ${us}, 1, 1`,
      keptUs: retainedUs,
    },
    {
      column: 'day_us',
      from: 'check_facts',
      values: (us: number) => `${deviceNo}, ${us}, 1, '', '', null`,
      keptUs: startOfDay(retainedUs),
    },
  ];
  const left = async (column: string, from: string) => {
    const { rows: found } = await sql<{ us: number }>`
      select ${sql.ref(column)} as us from ${sql.table(from)} order by 1`.execute(db.kysely);
    return found.map(({ us }) => us);
  };
  for (const { from, values, keptUs } of aged)
    for (const us of [keptUs - dayUs, keptUs - 1, keptUs])
      await sql.raw(`insert into ${from} values (${values(us)})`).execute(db.kysely);
  await sql`insert into quarantined overriding system value values (default, ${agentNo}, 7, 'x', '{}', true)`.execute(
    db.kysely,
  );
  await keepOnce();
  for (const { column, from, keptUs } of aged)
    expect(await left(column, from), from).toEqual(from === 'quarantined' ? [7, keptUs] : [keptUs]);
  await sql`insert into quarantined overriding system value
    select no, ${agentNo}, ${startUs}::bigint, 'x', '{}', false from unnest(array[899999, 900000, 900001, 1000000]) no`.execute(
    db.kysely,
  );
  await keepOnce();
  const kept = await sql<{
    no: number;
  }>`select quarantined_no as no from quarantined where not waits order by 1`.execute(db.kysely);
  expect(kept.rows).toEqual([{ no: 900_001 }, { no: 1_000_000 }]);
});

test('what belongs to checks is kept as long as the oldest of them, in a partition or packed', async () => {
  const rows = createFixtures(db.kysely);
  const deviceNo = await rows.device(await rows.account(), []);
  const retainedUs = startUs - retentionDays * dayUs;
  expect((await keepOnce())['trim']).toBe(retainedUs);
  const packed = [startOfDay(retainedUs), startOfDay(retainedUs) - dayUs];
  for (const day of packed)
    await sql`insert into packed_checks values (${deviceNo}, ${day}::bigint, 1, ${day}, ${day}, '', '', '')`.execute(
      db.kysely,
    );
  await sql`insert into packed_devices values (${deviceNo}, ${packed[1]}, ${packed[0]}, '')`.execute(
    db.kysely,
  );
  expect((await keepOnce())['trim'], 'the older packed day is dropped before').toBe(packed[0]);
  const earlier = createFakeClock(startUs - 2 * dayUs);
  await createPartitions({ db, clock: earlier, log, retentionDays }).ensure();
  expect((await keepOnce())['trim']).toBe(startOfDay(startUs - 5 * dayUs));
});
