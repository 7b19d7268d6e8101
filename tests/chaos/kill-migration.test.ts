// The upgrade of a large database: the controller is killed in the middle of its migrations again and again, and the
// database has no room for them.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { migrationNames } from '@vantage/storage/migrate';
import { freePort } from '@vantage/testing/free-port';
import { withClient } from '@vantage/testing/postgres-url';
import { expect, onTestFailed, test, vi } from 'vitest';
import { z } from 'zod';
import { type DatabaseServer, hasPrograms, startPrimary } from '../harness/database-servers.ts';
import { repositoryRoot } from '../harness/system.ts';
import { countMigrations, fillOldDatabase, readHoldings } from './old-data.ts';

const kills = 10;
const fatal = z.object({ msg: z.string() });
const lacks = 'this machine lacks the programs of PostgreSQL 15';
const urlOf = (server: DatabaseServer) =>
  `postgres://vantage@/postgres?host=${encodeURIComponent(server.folder)}`;

/** A controller on this database that can be killed and started again. */
async function createRunner(databaseUrl: string) {
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-migration-'));
  const ports = {
    VANTAGE_HTTPS_PORT: String(await freePort()),
    VANTAGE_AGENT_PORT: String(await freePort()),
  };
  let text = '';
  let child: ReturnType<typeof spawn> | undefined;
  let ended: Promise<unknown> = Promise.resolve();
  const kill = async () => {
    if (child?.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
  };
  return {
    output: () => text,
    kill,
    hasEnded: () => child?.exitCode !== null || child.signalCode !== null,
    start() {
      const env = {
        PATH: process.env['PATH'],
        VANTAGE_DATA: folder,
        VANTAGE_DATABASE_URL: databaseUrl,
        ...ports,
      };
      const started = spawn(process.execPath, [path.join(repositoryRoot, 'apps/controller/src/main.ts')], {
        cwd: repositoryRoot,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const keep = (chunk: Buffer) => {
        text = (text + chunk.toString('utf8')).slice(-200_000);
      };
      started.stdout.on('data', keep);
      started.stderr.on('data', keep);
      ended = new Promise((resolve) => started.once('exit', resolve));
      child = started;
    },
    async [Symbol.asyncDispose]() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

test('a controller that is killed ten times while it migrates a large database finishes at the last start, and no row is lost or changed', async ({
  skip,
}) => {
  skip(!hasPrograms, lacks);
  const server = await startPrimary();
  const url = urlOf(server);
  await using runner = await createRunner(url);
  onTestFailed(() => void process.stdout.write(runner.output().slice(-20_000)));
  try {
    const before = await fillOldDatabase(url, 10_000, 50);
    const all = (await migrationNames()).length;
    const reached: number[] = [];
    for (let i = 0; i < kills; i += 1) {
      runner.start();
      await delay(700 + Math.random() * 4_000);
      await runner.kill();
      reached.push(await countMigrations(url));
      if (i % 3 === 2) await server.restart();
    }
    const fromMs = performance.now();
    runner.start();
    await vi.waitFor(async () => expect(await countMigrations(url)).toBe(all), {
      timeout: 120_000,
      interval: 250,
    });
    const seconds = Math.round((performance.now() - fromMs) / 100) / 10;
    const after = await readHoldings(url);
    process.stdout.write(`ledger: ${JSON.stringify({ ...before, kills, reached, all, seconds })}\n`);
    // At least one kill came while migrations were under way.
    expect(reached[0]).toBeLessThan(all);
    expect(after).toEqual(before);
  } finally {
    await runner.kill();
    await server.kill();
  }
});

test('migrations that find no room on the disk of the database leave the old schema whole, say so, and go on when there is room', async ({
  skip,
}) => {
  skip(!hasPrograms, lacks);
  skip(process.getuid?.() !== 0, 'a small tmpfs is mounted as root only');
  const place = mkdtempSync(path.join(tmpdir(), 'vantage-small-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=700m', 'tmpfs', place], { stdio: 'pipe' });
  } catch {
    rmSync(place, { recursive: true });
    skip(true, 'this machine lets nobody mount a tmpfs');
  }
  chmodSync(place, 0o755);
  const server = await startPrimary(place);
  const url = urlOf(server);
  await using runner = await createRunner(url);
  onTestFailed(() => void process.stdout.write(runner.output().slice(-20_000)));
  try {
    const before = await fillOldDatabase(url, 10_000, 20);
    await withClient(server.superuserUrl, (client) => client.query('checkpoint'));
    const old = await countMigrations(url);
    const ballast = path.join(place, 'ballast');
    const { bavail, bsize } = statfsSync(place);
    const leftBytes = 8 * 1024 * 1024;
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - leftBytes, 1));
    runner.start();
    await vi.waitFor(() => expect(runner.output()).toMatch(/No space left on device|no room/), {
      timeout: 90_000,
    });
    await delay(5_000);
    const said = fatal.parse(
      runner
        .output()
        .split('\n')
        .flatMap((line) => (line.includes('"level":60') ? [JSON.parse(line)] : []))[0],
    ).msg;
    const isRunning = !runner.hasEnded();
    rmSync(ballast);
    await server.restart();
    if (!isRunning) runner.start();
    const all = (await migrationNames()).length;
    await vi.waitFor(async () => expect(await countMigrations(url)).toBe(all), {
      timeout: 120_000,
      interval: 250,
    });
    process.stdout.write(`ledger: ${JSON.stringify({ ...before, old, all, isRunning, said })}\n`);
    expect(await readHoldings(url)).toEqual(before);
    expect(said).toContain('Nothing is changed');
    expect(said).toContain('make room on the disk of the database');
  } finally {
    await runner.kill();
    await server.kill();
    execFileSync('umount', ['-l', place]);
    rmSync(place, { recursive: true, force: true });
  }
});
