import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock as clock, createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { createTestDatabase, type TestDatabase } from '@vantage/testing/database';
import { createFixtures } from '@vantage/testing/fixtures';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDb, type Database } from '../index.ts';
import { createContinuity } from './continuity.ts';

const log = createLog('continuity test', 'silent');
let database: TestDatabase;
let db: Database;
let folder = '';

beforeEach(async () => {
  database = await createTestDatabase();
  db = await createDb({ connection: { url: database.url }, log });
  folder = mkdtempSync(path.join(tmpdir(), 'vantage-continuity-'));
});
afterEach(async () => {
  await db.close();
  await database[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** One run of a controller: it begins, writes a position and ends. `meanwhile` runs before the write. */
async function runOnce(meanwhile: (epochId: string) => Promise<void> = async () => {}) {
  const continuity = createContinuity({ db, clock, log, file: path.join(folder, 'history.json') });
  let doubts = 0;
  continuity.onDoubt(() => {
    doubts += 1;
  });
  await continuity.start();
  const position = continuity.position();
  await meanwhile(position.epochId);
  await continuity.run(AbortSignal.abort());
  return { continuity, position, doubts: () => doubts };
}

const nextDeviceNo = async () => {
  const rows = createFixtures(db.kysely);
  return rows.device(await rows.account(), []);
};

test('an epoch is whole on the same server, also for the next run; an unknown one is not', async () => {
  const first = await runOnce();
  const second = await runOnce();
  expect([first.doubts(), second.doubts()]).toEqual([0, 0]);
  const { epochId } = first.position;
  expect(await second.continuity.known([epochId, 'never'])).toEqual([
    { epochId, mark: 1, isWhole: true },
    { epochId: 'never', mark: 0, isWhole: false },
  ]);
});

/** A controller that runs; `rounds` resolves when it looked so often more. */
async function running() {
  const fake = createFakeClock(Date.now() * 1000);
  const continuity = createContinuity({ db, clock: fake, log, file: path.join(folder, 'history.json') });
  await continuity.start();
  const ending = new AbortController();
  const done = continuity.run(ending.signal);
  const isAsleep = () => expect.poll(() => fake.pending, { timeout: 60_000, interval: 5 }).toBe(1);
  await isAsleep();
  return {
    continuity,
    async rounds(count: number) {
      for (let round = 0; round < count; round += 1) {
        await fake.advance(2_000);
        await isAsleep();
      }
    },
    /** The position in the database. */
    async position() {
      const { rows } = await sql<{
        mark: number;
      }>`select max(mark)::int as mark from database_epochs`.execute(db.kysely);
      return rows[0]?.mark ?? 0;
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
      await done;
    },
  };
}

test('without anything new the position is written once a minute; after an ack, a new device or a change immediately', async () => {
  await using run = await running();
  const first = await run.position();
  await run.rounds(29);
  expect(await run.position()).toBe(first);
  await run.rounds(1);
  expect(await run.position()).toBe(first + 1);
  expect(run.continuity.position().mark).toBe(first + 2);
  await run.rounds(5);
  expect(await run.position()).toBe(first + 2);
  await nextDeviceNo();
  await run.rounds(5);
  expect(await run.position()).toBe(first + 3);
});

test('a commit that ends during a write belongs to the next position', async () => {
  await using run = await running();
  const { mark } = run.continuity.position();
  const trx = await db.kysely.startTransaction().execute();
  await sql`lock table database_epochs in share mode`.execute(trx);
  const writing = run.rounds(1);
  await expect
    .poll(
      async () => {
        const { rows } =
          await sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(
            db.kysely,
          );
        return rows.length;
      },
      { timeout: 60_000 },
    )
    .toBeGreaterThan(0);
  expect(run.continuity.position().mark).toBe(mark + 1);
  await trx.rollback().execute();
  await writing;
  expect(await run.position()).toBe(mark);
  await run.rounds(1);
  expect(await run.position()).toBe(mark + 1);
});

test('a database that lacks a position is noticed while the controller runs, and its numbers are not used again', async () => {
  const before = await nextDeviceNo();
  const run = await runOnce(async (epochId) => {
    await sql`delete from database_epochs where epoch_id = ${epochId}`.execute(db.kysely);
  });
  expect(run.doubts()).toBe(1);
  expect(run.continuity.position().epochId).not.toBe(run.position.epochId);
  expect(run.continuity.wentBack).toMatchObject({ fromUs: expect.any(Number), seenUs: expect.any(Number) });
  expect(await nextDeviceNo()).toBeGreaterThan(before + 1000);
});

test('a database that lacks a position is noticed by the next run of the controller', async () => {
  const before = await nextDeviceNo();
  const first = await runOnce();
  await sql`update database_epochs set mark = 0 where epoch_id = ${first.position.epochId}`.execute(
    db.kysely,
  );
  const second = await runOnce();
  expect(await nextDeviceNo()).toBeGreaterThan(before + 1000);
  const { wentBack } = second.continuity;
  expect(wentBack?.toUs).toBeLessThanOrEqual(wentBack?.fromUs ?? 0);
  // Later runs of the controller remember it: the operator may look days later.
  expect((await runOnce()).continuity.wentBack).toEqual(wentBack);
});

test('another run of the server with all positions is doubted, and later acks are not confirmed', async () => {
  const run = await runOnce(async () => {
    // Restored tables lie in other files; a truncated one does too.
    await sql`create table kept as select * from database_epochs`.execute(db.kysely);
    await sql`truncate database_epochs`.execute(db.kysely);
    await sql`insert into database_epochs select * from kept`.execute(db.kysely);
  });
  const { epochId, mark } = run.position;
  expect(run.doubts()).toBe(1);
  const [known] = await run.continuity.known([epochId]);
  expect(known).toEqual({ epochId, mark: 0, isWhole: false });
  expect(mark).toBeGreaterThan(0);
});
