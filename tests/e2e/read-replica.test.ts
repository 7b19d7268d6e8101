// History is read from a streaming replica while it is fresh, and from the primary while it is not. No request fails.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { createDb, createPartitions } from '@vantage/storage';
import type { Replica } from '@vantage/storage/replica';
import { createSealer } from '@vantage/storage/secrets/seal';
import { withClient } from '@vantage/testing/postgres-url';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { useHere } from '../../apps/cli/src/testing/run-vantage.ts';
import { recordEvents } from '../../apps/controller/src/results/events/record-events.ts';
import { createRestHealth } from '../../apps/controller/src/results/status/index.ts';
import { createRestFixture, type RestFixture } from '../../apps/controller/src/testing/rest-fixture.ts';
import { addScopedAccount } from '../../apps/controller/src/testing/scoped-account.ts';
import {
  type DatabaseServer,
  type DatabaseSwitch,
  hasPrograms,
  promote,
  startPrimary,
  startReplica,
  startSwitch,
} from '../harness/database-servers.ts';

const soon = { timeout: 60_000, interval: 50 };
const lines: string[] = [];
const ending = new AbortController();
const runHere = useHere();
let primary: DatabaseServer;
let standby: DatabaseServer;
let way: DatabaseSwitch;
let replica: Replica;
let running: Promise<void>;
/** The API with the replica, and one that reads from the primary alone. */
let rest: RestFixture;
let plain: RestFixture;
let account: Awaited<ReturnType<typeof addScopedAccount>>;

beforeAll(async () => {
  if (!hasPrograms) return;
  primary = await startPrimary();
  const url = `postgres://vantage@/postgres?host=${encodeURIComponent(primary.folder)}`;
  standby = await startReplica(primary);
  way = await startSwitch(standby);
  const log = createLog('replica test', 'silent');
  for (const level of ['info', 'warn'] as const)
    vi.spyOn(log, level).mockImplementation((data: unknown, text?: string) => {
      // How many reads were repeated is said once a minute, at any moment.
      if (/replica/.test(text ?? '') && !text?.startsWith('a read failed'))
        lines.push(`${text} ${JSON.stringify(data)}`);
    });
  const migrating = await createDb({ connection: { url }, log });
  await migrating.migrate();
  await migrating.close();
  const database = { url, [Symbol.asyncDispose]: async () => {} };
  const clock = createFakeClock(1_790_000_000_000_000);
  const beside = { database, clock, sealer: createSealer(randomBytes(32)) };
  const health = () => createRestHealth({ recordEvents, clock });
  rest = await createRestFixture({ beside, health, log, replica: { url: way.url, maxAgeMs: 3_000 } });
  const { replica: created } = rest.db;
  if (created === undefined) throw new Error('the database has no replica');
  replica = created;
  await createPartitions({ db: rest.db, clock, log, retentionDays: 30 }).ensure();
  plain = await createRestFixture({ beside, health });
  account = await addScopedAccount(rest, 'one');
  running = replica.run(ending.signal);
}, 240_000);
afterAll(async () => {
  ending.abort();
  await running;
  await rest?.[Symbol.asyncDispose]();
  await plain?.[Symbol.asyncDispose]();
  await way?.[Symbol.asyncDispose]();
  await standby?.kill();
  await primary?.kill();
});
beforeEach(({ skip }) => skip(!hasPrograms, 'PostgreSQL 15 of Debian is missing (package postgresql-15)'));

const untilUsed = (isUsed: boolean) => vi.waitFor(() => expect(replica.state.isUsed).toBe(isUsed), soon);
const lastLine = () => lines.at(-1);
const deviceEvents = () => `/devices/${account.own.id}/events`;

/** Writes on the primary, so that a replica that does not replay becomes old. */
async function write(): Promise<void> {
  await withClient(primary.superuserUrl, (client) =>
    client.query('create table if not exists beats (n int); insert into beats values (1)'),
  );
}

/** Reads history fifty times a second while `work` runs; each read must succeed. Resolves with their number. */
async function readMeanwhile(work: () => Promise<unknown>): Promise<number> {
  let isDone = false;
  let reads = 0;
  const reader = async () => {
    while (!isDone) {
      const { status, text } = await rest.send('GET', deviceEvents(), { key: account.key });
      expect(text, 'a read failed').toMatch(/^\[/);
      expect(status).toBe(200);
      reads += 1;
      await delay(60);
    }
  };
  const readers = [reader(), reader(), reader()];
  await work().finally(() => {
    isDone = true;
  });
  await Promise.all(readers);
  return reads;
}

test('all reads of history come from the replica, with the answers of the primary, also for limited callers', async () => {
  await untilUsed(true);
  expect(lastLine()).toMatch(/^history is read from the replica/);
  const limited = await account.keyOf('UR');
  const of = `/devices/${account.own.id}`;
  const paths = ['checks', 'events', 'outages', 'statistics', 'uptime', 'traceroutes'].map(
    (part) => `${of}/${part}`,
  );
  paths.push('/events', '/outages', '/uptime', '/timeline');
  const [check] = (await plain.send('GET', `${of}/checks`, { key: account.key })).json as [
    { check_id: string },
  ];
  paths.push(`/checks/${check?.check_id}`);
  // What the account wrote must be in the replica.
  const before = replica.state.reads.replica;
  await vi.waitFor(async () => {
    await rest.send('GET', '/uptime', { key: account.key });
    expect(replica.state.reads.replica).toBeGreaterThan(before);
  }, soon);
  const { replica: from, repeated } = { ...replica.state.reads };
  for (const key of [account.key, limited])
    for (const path of paths) {
      const [one, other] = [await rest.send('GET', path, { key }), await plain.send('GET', path, { key })];
      expect([path, one.status, one.text]).toEqual([path, 200, other.text]);
    }
  expect(replica.state.reads).toMatchObject({ replica: from + 2 * paths.length, repeated });
});

test('an account reads what it has just written, and what the replica lacks is looked for on the primary', async () => {
  const { primary: own, repeated } = { ...replica.state.reads };
  await withClient(standby.superuserUrl, (client) => client.query('select pg_wal_replay_pause()'));
  const body = { Method: 'TCP', URL: 'new.example:1', ShortName: 'new' };
  const read = async (json: unknown) => {
    const { device_id: id } = z.object({ device_id: z.string() }).parse(json);
    expect((await rest.send('GET', `/devices/${id}/events`, { key: account.key })).status).toBe(200);
  };
  // Another controller wrote this one.
  await read((await plain.send('POST', '/devices', { key: account.key, body })).json);
  const { reads } = replica.state;
  expect(reads.repeated + reads.primary).toBe(repeated + own + 1);
  const before = reads.primary;
  await read((await account.send('POST', '/devices', { ...body, ShortName: 'newer' })).json);
  expect(replica.state.reads.primary).toBe(before + 1);
  await untilUsed(false);
  expect(lastLine()).toMatch(/is not used \{"reason":"it is behind by more than 3 s"/);
  await withClient(standby.superuserUrl, (client) => client.query('select pg_wal_replay_resume()'));
  await untilUsed(true);
});

test('while the replica replays nothing, answers come from the primary within the bound', async () => {
  await withClient(standby.superuserUrl, (client) => client.query('select pg_wal_replay_pause()'));
  await write();
  await readMeanwhile(() => untilUsed(false));
  expect(replica.state.ageMs).toBeGreaterThan(3_000);
  await withClient(standby.superuserUrl, (client) => client.query('select pg_wal_replay_resume()'));
  await readMeanwhile(() => untilUsed(true));
});

test('a replica that is killed, or answers nothing, during reads makes no read fail, and is used again', async () => {
  const killed = await readMeanwhile(async () => {
    way.to(undefined);
    await untilUsed(false);
  });
  expect(killed).toBeGreaterThan(0);
  expect(lastLine()).toMatch(/is not used \{"reason":"it does not answer: /);
  way.to(standby);
  await untilUsed(true);
  await readMeanwhile(async () => {
    way.stall();
    await untilUsed(false);
  });
  way.to(standby);
  await readMeanwhile(() => standby.restart());
  await untilUsed(true);
}, 120_000);

test('the doctor shows replicas with lag and timeline, and what to grant where the role may not see them', async () => {
  await untilUsed(true);
  const data = mkdtempSync(path.join(tmpdir(), 'vantage-doctor-'));
  const urls = { VANTAGE_DATABASE_URL: rest.database.url, VANTAGE_DATABASE_READ_URL: way.url };
  const env = { VANTAGE_DATA: data, ...urls };
  const doctor = async () => {
    const { out } = await runHere(['doctor', '--json'], env);
    const found = z
      .array(z.object({ level: z.string(), step: z.string(), text: z.string() }))
      .parse(JSON.parse(out));
    return found.filter(({ step }) => ['database', 'replication', 'read replica'].includes(step));
  };
  const follows = { level: 'ok', text: expect.stringMatching(/^it is at most \d\.\d s behind$/) };
  const database = { level: 'ok', text: expect.stringMatching(/^PostgreSQL 15\.\S+.*, timeline 1; /) };
  const unseen = '1 connected, and the role vantage may not see how far behind they are';
  expect(await doctor()).toMatchObject([database, { level: 'warning', text: unseen }, follows]);
  await withClient(primary.superuserUrl, (client) => client.query('grant pg_monitor to vantage'));
  const text = expect.stringMatching(/^walreceiver \(by socket\) is streaming, async: \d+ bytes/);
  expect(await doctor()).toMatchObject([database, { level: 'ok', text }, follows]);
  rmSync(data, { recursive: true });
}, 120_000);

test('where the history is distributed, no replica is read, and the log says why', async () => {
  const run = (statement: string) => withClient(rest.database.url, (client) => client.query(statement));
  // Citus gives each distributed table such a trigger.
  await run(
    `create function citus_truncate_trigger() returns trigger language plpgsql as 'begin return null; end'`,
  );
  await run(
    'create trigger distributed after truncate on packed_checks for each statement execute function citus_truncate_trigger()',
  );
  await readMeanwhile(() => untilUsed(false));
  expect(lastLine()).toContain('the history is on the workers of a Citus cluster');
  await run('drop function citus_truncate_trigger cascade');
  await untilUsed(true);
});

test('a replica that was promoted is refused, and so is one that follows it', async () => {
  await promote(standby);
  await readMeanwhile(() => untilUsed(false));
  expect(lastLine()).toContain('it is no longer a replica: it was promoted');
  const follower = await startReplica(standby);
  try {
    way.to(follower);
    await vi.waitFor(
      () => expect(lastLine()).toContain('it follows timeline 2, and the primary writes timeline 1'),
      soon,
    );
    way.to(primary);
    await vi.waitFor(() => expect(lastLine()).toContain('it was promoted'), soon);
    expect(replica.state.isUsed).toBe(false);
  } finally {
    await follower.kill();
  }
}, 120_000);
