import { spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLog, systemClock } from '@vantage/kernel';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startEmbedded } from './embedded.ts';
import { superviseEmbedded } from './embedded-supervisor.ts';

const log = createLog('test', 'silent');
let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'vantage-embedded-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function ask(url: string, text: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows[0];
  } finally {
    await client.end();
  }
}

test('the embedded PostgreSQL starts, is adopted while it runs, stops, and keeps its data', async () => {
  const dir = path.join(root, 'pg');
  const first = await startEmbedded({ dir, log });
  expect(first.adopted).toBe(false);
  await ask(first.url, 'create table kept as select 42 as answer');
  const second = await startEmbedded({ dir, log });
  expect([second.adopted, second.pid]).toEqual([true, first.pid]);
  await second.stop();
  await expect(ask(first.url, 'select 1')).rejects.toThrow();
  const third = await startEmbedded({ dir, log });
  expect(await ask(third.url, 'select answer from kept')).toEqual({ answer: 42 });
  expect(await ask(third.url, 'show synchronous_commit')).toEqual({ synchronous_commit: 'on' });
  await third.stop();
});

test('of two starts at one moment, one starts the server and the other one uses it', async () => {
  const dir = path.join(root, 'pg');
  await (await startEmbedded({ dir, log })).stop();
  const both = await Promise.all([startEmbedded({ dir, log }), startEmbedded({ dir, log })]);
  expect(both.filter(({ adopted }) => adopted)).toHaveLength(1);
  expect(both[0]?.pid).toBe(both[1]?.pid);
  await both[0]?.stop();
});

test('a server that does not react is killed: when the stop resolves, nothing runs', async () => {
  const embedded = await startEmbedded({ dir: path.join(root, 'pg'), log });
  process.kill(embedded.pid, 'SIGSTOP');
  await embedded.stop();
  expect(embedded.state()).toBe('dead');
});

test('a data path of 150 characters works, and after a kill -9 the supervisor starts it again under the same URL', async () => {
  const dir = path.join(root, 'x'.repeat(150 - root.length - 1));
  expect(dir).toHaveLength(150);
  const kept = await superviseEmbedded({ dir, clock: systemClock, log });
  const ending = new AbortController();
  const running = kept.run(ending.signal);
  const { pid } = await startEmbedded({ dir, log });
  process.kill(pid, 'SIGKILL');
  await expect
    .poll(() => ask(kept.url, 'select 1 as one').catch(() => undefined), { timeout: 60_000 })
    .toEqual({
      one: 1,
    });
  ending.abort();
  await running;
  await kept.stop();
});

test('the supervisor tries a failing start again until it succeeds', async () => {
  const dir = path.join(root, 'pg');
  const kept = await superviseEmbedded({ dir, clock: systemClock, log });
  const ending = new AbortController();
  const running = kept.run(ending.signal);
  const file = path.join(dir, 'cluster', 'PG_VERSION');
  const version = readFileSync(file, 'utf8');
  const { pid } = await startEmbedded({ dir, log });
  writeFileSync(file, '99\n');
  process.kill(pid, 'SIGKILL');
  const refusals = () =>
    readFileSync(path.join(dir, 'postgres.log'), 'utf8').split('incompatible').length - 1;
  await expect.poll(refusals, { timeout: 60_000 }).toBeGreaterThan(1);
  writeFileSync(file, version);
  const one = () => ask(kept.url, 'select 1 as one').catch(() => undefined);
  await expect.poll(one, { timeout: 60_000 }).toEqual({ one: 1 });
  ending.abort();
  await running;
  await kept.stop();
});

test('the role of the controller is an ordinary owner', async () => {
  const dir = path.join(root, 'pg');
  const role =
    "select rolsuper, rolcreaterole, rolcreatedb, rolbypassrls from pg_roles where rolname = 'vantage'";
  const ordinary = { rolsuper: false, rolcreaterole: false, rolcreatedb: false, rolbypassrls: false };
  const fresh = await startEmbedded({ dir, log });
  expect(await ask(fresh.url, role)).toEqual(ordinary);
  await expect(ask(fresh.url, "copy (select 1) to program 'true'")).rejects.toThrow(/permission denied/);
  await ask(fresh.url, 'create table kept (no int generated always as identity)');
  await ask(fresh.url, 'drop table kept');
  const names = "select string_agg(rolname, ' ' order by rolname) as names from pg_roles where rolcanlogin";
  expect(await ask(fresh.url, names)).toEqual({ names: 'vantage vantage_superuser' });
  const again = await startEmbedded({ dir, log });
  expect(again.adopted).toBe(true);
  await again.stop();
});

test('a data folder of a version before 0.2.0 is refused with what to do', async () => {
  const dir = path.join(root, 'pg');
  const before = await startEmbedded({ dir, log });
  const asOther = before.url.replace('vantage@', 'other@');
  await ask(before.superuserUrl, 'create role other superuser login');
  await ask(asOther, 'alter role vantage_superuser rename to first');
  await expect(startEmbedded({ dir, log })).rejects.toMatchObject({
    code: 'database_older',
    message: expect.stringContaining('start version 0.2.0'),
  });
  await before.stop();
});

test('a postmaster of another starter and its pid file are left alone', async () => {
  const dir = path.join(root, 'pg');
  const cluster = path.join(dir, 'cluster');
  mkdirSync(cluster, { recursive: true });
  writeFileSync(path.join(cluster, 'PG_VERSION'), '18\n');
  const other = spawn('sleep', ['60'], { cwd: cluster });
  await new Promise((resolve) => other.once('spawn', resolve));
  const file = path.join(cluster, 'postmaster.pid');
  writeFileSync(file, `${other.pid}\n/data\n`);
  await expect(startEmbedded({ dir, log })).rejects.toThrow(/another program started/);
  expect(readFileSync(file, 'utf8')).toBe(`${other.pid}\n/data\n`);
  other.kill('SIGKILL');
});

test('an unreadable pid file does not count as a missing one, so nothing is started', async () => {
  const dir = path.join(root, 'pg');
  const file = path.join(dir, 'cluster', 'postmaster.pid');
  mkdirSync(path.dirname(file), { recursive: true });
  symlinkSync('postmaster.pid', file); // a circle: ELOOP
  await expect(startEmbedded({ dir, log })).rejects.toThrow(/ELOOP/);
  expect(readlinkSync(file)).toBe('postmaster.pid');
});
