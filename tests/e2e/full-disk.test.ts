// `vantage up` on a real small disk that is full for a while: everything that runs goes on, what is killed meanwhile
// comes back, no result is lost, and the controller warns. Then a start on the full disk.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { z } from 'zod';
import { createApi } from '../harness/api.ts';
import { type System, startSystem } from '../harness/system.ts';
import { startSystemOnDatabase } from '../harness/system-on-database.ts';
import { startTarget, type Target } from '../harness/target.ts';

const soon = { timeout: 90_000, interval: 250 };
const checks = z.array(z.object({ Timestamp: z.string() }));
const created = z.object({ device_id: z.string() });
/** A minute of a schedule lasts a second. */
const env = { NODE_ENV: 'test', VANTAGE_TEST_TIME_SCALE: '60' };

/** A file system of 300 MB, until it is disposed. */
function mountDisk({ skip }: TestContext) {
  skip(process.getuid?.() !== 0, 'a small tmpfs is mounted as root only');
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=300m', 'tmpfs', folder], { stdio: 'pipe' });
  } catch {
    rmSync(folder, { recursive: true });
    skip(true, 'this machine lets nobody mount a tmpfs');
  }
  return {
    dataDir: path.join(folder, 'data'),
    fillUp() {
      try {
        writeFileSync(path.join(folder, 'ballast'), Buffer.alloc(310 * 1024 * 1024));
      } catch {
        // the disk is full
      }
    },
    makeRoom: () => rmSync(path.join(folder, 'ballast')),
    [Symbol.dispose]() {
      execFileSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A device on the target, and what the system says. */
async function watched(system: System, target: Target) {
  const { api } = system;
  const URL = `tcp://127.0.0.1:${target.port}`;
  const device = { ShortName: 'one', Method: 'TCP', URL, Frequency: 1 };
  const { device_id } = created.parse(await api.ok('POST', '/devices', device));
  const { base_url, ca_file } = system.quickstart();
  const outer = createApi({ baseUrl: base_url.replace(/\/v1\.1$/, ''), caFile: ca_file });
  return {
    rows: async () => checks.parse(await api.ok('GET', `/devices/${device_id}/checks?Limit=1000`)).length,
    readiness: () =>
      outer.call('GET', '/readyz').then(
        ({ text }) => text,
        () => '',
      ),
    [Symbol.dispose]: () => outer.close(),
  };
}

test('a full disk ends nothing for good, loses no result and is warned of', async (context) => {
  using disk = mountDisk(context);
  const { dataDir } = disk;
  await using target = await startTarget();
  await using system = await startSystem({ dataDir, env });
  using seen = await watched(system, target);
  await expect.poll(seen.rows, soon).toBeGreaterThan(0);
  // 300 MB are less than the controller wants, so it warns before anything fails.
  const isLow = /^ready\n(?:.*\n)*warning: the disk of .* is nearly full: \d+ of 300 MiB are free\n/;
  expect(await seen.readiness()).toMatch(isLow);
  expect(readFileSync(path.join(dataDir, 'log/controller.log'), 'utf8')).toContain('the disk is nearly full');
  // An agent that knows its clock's offset needs no controller for its checks.
  const identity = path.join(dataDir, 'agent/identity.bin');
  await expect.poll(() => readFileSync(identity, 'latin1'), soon).toContain('wallOffsetUs');

  disk.fillUp();
  await expect.poll(seen.readiness, soon).toContain('is full: 0 of 300 MiB are free');
  const before = system.quickstart().pids;
  process.kill(before.controller, 'SIGKILL');
  process.kill(before.agent, 'SIGKILL');
  await expect.poll(() => system.output(), soon).toMatch(/up\.lock cannot be written \(ENOSPC/);
  const hits = target.hits.length;
  // The agent was started again on the full disk, and checks on.
  await expect.poll(() => target.hits.length, soon).toBeGreaterThan(hits + 10);
  expect(system.process.exitCode).toBe(null);

  disk.makeRoom();
  await expect.poll(() => system.output(), soon).toContain('up.lock is written again');
  await expect.poll(() => system.quickstart().pids.agent, soon).not.toBe(before.agent);
  await expect.poll(seen.readiness, soon).toMatch(isLow);
  const wanted = target.hits.length;
  // A kill may take the checks that were under way.
  await expect.poll(seen.rows, soon).toBeGreaterThanOrEqual(wanted - 2);
  await system.stop();
  expect(system.process.exitCode).toBe(0);
  expect(readdirSync(dataDir).filter((name) => name.includes('.part'))).toEqual([]);
});

test('a start on a full disk waits for room', async (context) => {
  using disk = mountDisk(context);
  disk.fillUp();
  const lines: string[] = [];
  const onOutput = (text: string) => void lines.push(text);
  // The wait is over before a database of its own would begin.
  const starting = startSystemOnDatabase({ dataDir: disk.dataDir, env, onOutput });
  await expect.poll(() => lines.join(''), soon).toMatch(/up\.lock cannot be written \(ENOSPC.*waiting\n/);
  disk.makeRoom();
  await using system = await starting;
  expect(system.output()).toContain('the disk accepts files again');
});
