// One of two controllers on one PostgreSQL is killed again and again for a minute. Events, checks and uptime must equal
// the targets' record.
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@vantage/testing/free-port';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { operate, startAgent } from '../harness/more-agents.ts';
import { statusEvents } from '../harness/status-events.ts';
import { repositoryRoot, type System, startSystem } from '../harness/system.ts';
import { startTarget, type Target } from '../harness/target.ts';

const scale = 10;
const intervalS = 60 / scale;
const fast = { NODE_ENV: 'test', VANTAGE_TEST_TIME_SCALE: String(scale) };
const created = z.object({ device_id: z.string() });
const events = z.array(z.object({ Type: z.string() }));
const uptime = z.object({
  Uptime: z.object({ UpSeconds: z.number(), DownSeconds: z.number(), Outages: z.number() }),
});

/** A second controller on the system's database with its CA and key, that can be killed and started again. */
async function secondController(system: System, folder: string) {
  const [https, agents] = [await freePort(), await freePort()];
  mkdirSync(folder, { recursive: true });
  cpSync(path.join(system.dataDir, 'tls'), path.join(folder, 'tls'), { recursive: true });
  let child: ChildProcess | undefined;
  const start = () => {
    child = spawn(process.execPath, [path.join(repositoryRoot, 'apps/controller/src/main.ts')], {
      cwd: repositoryRoot,
      env: {
        PATH: process.env['PATH'],
        ...fast,
        VANTAGE_DATA: folder,
        VANTAGE_DATABASE_URL: system.quickstart().database_url,
        VANTAGE_SECRET_KEY_FILE: path.join(system.dataDir, 'secret.key'),
        VANTAGE_HTTPS_PORT: String(https),
        VANTAGE_AGENT_PORT: String(agents),
      },
      stdio: 'ignore',
    });
  };
  start();
  return { endpoint: `https://localhost:${agents}`, start, kill: () => child?.kill('SIGKILL') };
}

test('a controller killed again and again loses no check, makes no false Down and records each outage once', {
  timeout: 400_000,
}, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-kills-'));
  await using system = await startSystem({ env: fast });
  const second = await secondController(system, path.join(folder, 'second'));
  try {
    for (const name of ['A', 'B']) operate(system, 'locations', 'create', name);
    const { agent_endpoint: own, ca_file: ca } = system.quickstart();
    const to = (...endpoints: string[]) => ({ endpoint: endpoints.join(','), ca });
    await using _a = startAgent(system, 'A', { name: 'a', env: fast, to: to(second.endpoint, own) });
    await using _b = startAgent(system, 'B', { name: 'b', env: fast, to: to(own, second.endpoint) });
    await using _c = startAgent(system, 'B', { name: 'c', env: fast, to: to(second.endpoint, own) });
    await untilConnected(system, 4);
    await using targets = new AsyncDisposableStack();
    const devices = await createDevices(system, targets);
    await delay(2 * intervalS * 1000);
    const endMs = performance.now() + 60_000;
    const outages = devices.filter(({ isSick }) => isSick).map(makeOutage);
    while (performance.now() < endMs - 10_000) {
      await delay(3_000 + Math.random() * 5_000);
      second.kill();
      await delay(500 + Math.random() * 3_000);
      second.start();
    }
    await Promise.all([...outages, delay(Math.max(0, endMs - performance.now()))]);
    await delay(3 * intervalS * 1000);
    for (const device of devices) await expectTruth(system, device);
  } finally {
    second.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});

async function untilConnected(system: System, count: number): Promise<void> {
  const agents = z.array(z.object({ State: z.string() }));
  await vi.waitFor(
    async () => {
      const all = agents.parse(await system.api.ok('GET', '/agents'));
      expect(all.filter((one) => one.State === 'Connected')).toHaveLength(count);
    },
    { timeout: 60_000, interval: 200 },
  );
}

/** A device with its target; a sick one has one outage, of `downS` seconds. */
interface Device {
  readonly target: Target;
  readonly id: string;
  readonly isSick: boolean;
  downS: number;
}

/** Twelve devices in one Location or both; every other one is sick. `targets` keeps their servers. */
async function createDevices(system: System, targets: AsyncDisposableStack): Promise<readonly Device[]> {
  const locations = [['A'], ['B'], ['A', 'B']];
  const devices: Device[] = [];
  for (let i = 0; i < 12; i += 1) {
    const target = targets.use(await startTarget());
    const answer = await system.api.ok('POST', '/devices', {
      Method: 'TCP',
      URL: `127.0.0.1:${target.port}`,
      ShortName: `d${i}`,
      Frequency: 1,
      Timeout: 3,
      RetryDelay: 10,
      Locations: locations[i % 3],
      Options: { Steps: [{ Expect: '220' }] },
    });
    devices.push({ target, id: created.parse(answer).device_id, isSick: i % 2 === 0, downS: 0 });
  }
  return devices;
}

/** Lets the target reset connections for twenty seconds, and notes how long that really was. */
async function makeOutage(device: Device): Promise<void> {
  await delay(3_000 + Math.random() * 25_000);
  const fromMs = performance.now();
  device.target.manner = 'reset';
  await delay(20_000);
  device.target.manner = 'ok';
  device.downS = (performance.now() - fromMs) / 1000;
}

/** Compares events, checks and uptime with the target's own record. */
async function expectTruth(system: System, { target, id, isSick, downS }: Device): Promise<void> {
  const recorded = events.parse(await system.api.ok('GET', `/devices/${id}/events?Limit=100`));
  const types = statusEvents(recorded.map((event) => event.Type)).reverse();
  expect(types).toEqual(['Created', 'Up', ...(isSick ? ['Error', 'Down', 'Up'] : [])]);
  await vi.waitFor(
    async () => {
      const rows = z.array(z.unknown()).parse(await system.api.ok('GET', `/devices/${id}/checks?Limit=100`));
      expect(rows).toHaveLength(target.hits.length);
    },
    { timeout: 20_000, interval: 50 },
  );
  const { Uptime } = uptime.parse(await system.api.ok('GET', `/devices/${id}/uptime`));
  expect(Uptime.Outages).toBe(isSick ? 1 : 0);
  // The next check notices the begin and the end of the outage.
  expect(Math.abs(Uptime.DownSeconds - downS)).toBeLessThan(isSick ? intervalS + 3 : 1);
}
