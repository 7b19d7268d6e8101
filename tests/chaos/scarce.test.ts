// What the operating system gives the programs is used up: memory, where the kernel ends the greatest program of the
// group, and file descriptors of the controller.
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { createTestDatabase } from '@vantage/testing/database';
import { expect, onTestFailed, test, vi } from 'vitest';
import { limitMemory, type MemoryLimit } from '../attacks/harness/memory-limit.ts';
import { startSystem } from '../harness/system.ts';
import { fast, watchDevices } from './one-second-devices.ts';

const devices = 20;
const mebibyte = 1024 * 1024;
const hogMiB = 60;

/**
 * Programs in the same group that take memory one after the other, until the kernel has ended one that is not theirs.
 */
async function exhaust(limit: MemoryLimit, pid: number): Promise<void> {
  const text = `const all = []; for (let i = 0; i < ${hogMiB}; i += 1) all.push(Buffer.alloc(${mebibyte}, 1)); setTimeout(() => all, 60_000)`;
  const hogs = [];
  const [program = '', ...args] = limit.command([process.execPath, '-e', text]);
  try {
    for (let left = 40; isAlive(pid) && left > 0; left -= 1) {
      hogs.push(spawn(program, args, { stdio: 'ignore' }));
      await delay(500);
    }
    expect(isAlive(pid)).toBe(false);
  } finally {
    for (const hog of hogs) hog.kill('SIGKILL');
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('controller and agent that the kernel ends for their memory come back, and no check is lost', async ({
  skip,
}) => {
  using limit = limitMemory('scarce', 640 * mebibyte);
  skip(limit.how === 'RSS samples', 'this machine has no control groups of memory that tests may make');
  await using database = await createTestDatabase();
  const prefix = limit.command([]);
  await using system = await startSystem({ prefix, env: { ...fast, VANTAGE_DATABASE_URL: database.url } });
  onTestFailed(() => void process.stdout.write(system.output().slice(-20_000)));
  await using watched = await watchDevices(system, database.url, devices);
  for (const name of ['controller', 'agent'] as const) {
    // The kernel may have ended both.
    const pid = await vi.waitFor(() => {
      const { pids } = system.quickstart();
      writeFileSync(`/proc/${pids[name]}/oom_score_adj`, '1000');
      return pids[name];
    }, 60_000);
    await exhaust(limit, pid);
    await vi.waitFor(() => expect(system.quickstart().pids[name]).not.toBe(pid), { timeout: 60_000 });
    await watched.untilBack();
  }
  const found = { ...(await watched.settle()), kills: limit.kills };
  process.stdout.write(`ledger: ${JSON.stringify({ how: limit.how, ...found })}\n`);
  // The agent may have been ended between a connection and its record.
  expect(found.checks).toBeGreaterThanOrEqual(found.hits - devices);
  expect(found).toMatchObject({ down: 0, gaps: 0, quarantined: 0 });
  expect(found.kills).toBeGreaterThanOrEqual(2);
});

test('a controller without a free file descriptor stores what it has, goes on when there are some, and no check is lost', async ({
  skip,
}) => {
  skip(process.platform !== 'linux', 'limits of running programs need Linux');
  await using database = await createTestDatabase();
  await using system = await startSystem({ env: { ...fast, VANTAGE_DATABASE_URL: database.url } });
  onTestFailed(() => void process.stdout.write(system.output().slice(-20_000)));
  await using watched = await watchDevices(system, database.url, devices);
  const { pids, base_url } = system.quickstart();
  const used = readdirSync(`/proc/${pids.controller}/fd`).length;
  execFileSync('prlimit', ['--pid', String(pids.controller), `--nofile=${used + 10}`]);
  const port = Number(new URL(base_url).port);
  const idle: TLSSocket[] = [];
  for (let i = 0; i < 100; i += 1) {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
    socket.on('error', () => {});
    idle.push(socket);
  }
  const hitsBefore = watched.target.hits.length;
  await delay(20_000);
  const meanwhile = watched.target.hits.length - hitsBefore;
  const full = readdirSync(`/proc/${pids.controller}/fd`).length;
  for (const socket of idle) socket.destroy();
  const storedMs = await watched.untilBack();
  const answer = await system.api.call('GET', '/hello');
  const found = await watched.settle();
  process.stdout.write(`ledger: ${JSON.stringify({ used, full, meanwhile, storedMs, ...found })}\n`);
  expect(answer.status).toBe(200);
  expect(full).toBeGreaterThanOrEqual(used + 9);
  expect(system.quickstart().pids.controller).toBe(pids.controller);
  expect(meanwhile).toBeGreaterThan(10 * devices);
  expect(found).toMatchObject({ checks: found.hits, down: 0, offline: 0, gaps: 0, quarantined: 0 });
});
