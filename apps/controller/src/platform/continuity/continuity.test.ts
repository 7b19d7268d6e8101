import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock as clock, createLog } from '@vantage/kernel';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../../tests/harness/database.ts';
import { createFixtures } from '../../testing/fixtures.ts';
import { createDb, type Db } from '../db/index.ts';
import { createContinuity } from './continuity.ts';

const log = createLog('continuity test', 'silent');
let database: TestDatabase;
let db: Db;
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

/** One run of a controller: it begins, writes a mark and ends. `meanwhile` happens to the database before the mark. */
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

test('a database that lacks a mark is noticed while the controller runs, and its numbers are not given again', async () => {
  const before = await nextDeviceNo();
  const run = await runOnce(async (epochId) => {
    await sql`delete from database_epochs where epoch_id = ${epochId}`.execute(db.kysely);
  });
  expect(run.doubts()).toBe(1);
  expect(run.continuity.position().epochId).not.toBe(run.position.epochId);
  expect(await nextDeviceNo()).toBeGreaterThan(before + 1000);
});

test('a database that lacks a mark is noticed by the next run of the controller', async () => {
  const before = await nextDeviceNo();
  const first = await runOnce();
  await sql`update database_epochs set mark = 0 where epoch_id = ${first.position.epochId}`.execute(
    db.kysely,
  );
  await runOnce();
  expect(await nextDeviceNo()).toBeGreaterThan(before + 1000);
});

test('another run of the server with all marks is doubted, and acks after the last mark are not vouched for', async () => {
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
