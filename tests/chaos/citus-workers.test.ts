// Packed days lie on the workers of a Citus cluster. One of them is killed and comes back, another one is added and
// shards move to it, while devices are checked once a second.
import { setTimeout as delay } from 'node:timers/promises';
import { type CitusCluster, startCitus } from '@vantage/testing/citus-cluster';
import { withClient } from '@vantage/testing/postgres-url';
import { afterAll, beforeAll, beforeEach, expect, onTestFailed, test, vi } from 'vitest';
import { z } from 'zod';
import { runVantage } from '../harness/run-vantage.ts';
import { type System, startSystem } from '../harness/system.ts';
import { startTarget, type Target } from '../harness/target.ts';
import { type FakeWebhookReceiver, startFakeWebhookReceiver } from '../lab/fake-webhook-receiver.ts';
import { notifyEverybody, webhookSecret } from './clock-scene.ts';
import { fast, watchDevices } from './one-second-devices.ts';

const devices = 20;
/** A worker is away for so long. */
const awayMs = Number(process.env['VANTAGE_TEST_AWAY_MS'] ?? 30_000);
const soon = { timeout: 120_000, interval: 100 };

let cluster: CitusCluster | string;
let system: System;
let receiver: FakeWebhookReceiver;
/** The target of the device `web`, whose outages the contact hears of. */
let web: Target;
let outages = 0;

beforeAll(async () => {
  cluster = await startCitus();
  if (typeof cluster === 'string') return;
  const { coordinator: url } = cluster;
  await withClient(url, (client) =>
    client.query(`alter database postgres set citus.node_connection_timeout = '2s'`),
  );
  const settings = { VANTAGE_DATABASE_URL: url, VANTAGE_ALLOW_PRIVATE_WEBHOOKS: 'true' };
  system = await startSystem({ env: { ...fast, ...settings } });
  const { code, stderr } = await runVantage(['database', 'distribute', '--yes', '--shards', '4'], {
    env: { VANTAGE_DATA: system.dataDir, VANTAGE_DATABASE_URL: url },
  });
  expect(code, stderr).toBe(0);
  receiver = await startFakeWebhookReceiver(webhookSecret);
  await notifyEverybody(system.api, receiver.url);
  web = await startTarget();
  const device = { Method: 'TCP', URL: `127.0.0.1:${web.port}`, ShortName: 'web', Frequency: 1, Timeout: 5 };
  await system.api.ok('POST', '/devices', device);
}, 300_000);

afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
  await web?.[Symbol.asyncDispose]();
  if (typeof cluster !== 'string') await cluster[Symbol.asyncDispose]();
});

beforeEach(({ skip }) => {
  if (typeof cluster === 'string') skip(cluster);
});

/** The target of `web` dies and comes back. Returns the milliseconds until the contact has heard of each. */
async function outage(): Promise<{ readonly downMs: number; readonly upMs: number }> {
  const heard = () => receiver.hooks.filter(({ about }) => about === 'web').map(({ type }) => type);
  const before = heard();
  const until = async (types: readonly string[]) => {
    const fromMs = performance.now();
    await vi.waitFor(() => expect(heard()).toEqual([...before, ...types]), soon);
    return Math.round(performance.now() - fromMs);
  };
  outages += 1;
  await web.stop();
  const downMs = await until(['device.down']);
  await web.start();
  return { downMs, upMs: await until(['device.down', 'device.up']) };
}

test('a killed worker stops neither checks nor alerts; when it is back, each check is stored once', async () => {
  if (typeof cluster === 'string') return;
  const { coordinator, workers } = cluster;
  onTestFailed(() => void process.stdout.write(system.output().slice(-20_000)));
  await using watched = await watchDevices(system, coordinator, devices);
  const { target } = watched;
  const [worker] = workers;
  worker?.kill();
  const [hitsBefore, rowsBefore] = [target.hits.length, await rowsOf(coordinator)];
  const fromMs = performance.now();
  const heard = await outage();
  await delay(Math.max(0, awayMs - (performance.now() - fromMs)));
  const awayHits = target.hits.length - hitsBefore;
  const awayRows = await rowsOf(coordinator);
  worker?.start();
  const storedMs = await watched.untilBack();
  const again = await outage();
  const found = await watched.settle();
  const awayStored = awayRows - rowsBefore;
  process.stdout.write(
    `ledger: ${JSON.stringify({ awayHits, awayStored, heard, storedMs, again, ...found })}\n`,
  );
  expect(found).toMatchObject({ checks: found.hits, down: outages, offline: 0, gaps: 0, quarantined: 0 });
  expect(awayHits).toBeGreaterThan((devices * awayMs) / 2_000);
  expect(awayStored).toBeGreaterThan(awayHits / 2);
});

/** The stored checks. */
async function rowsOf(url: string): Promise<number> {
  const { rows } = await withClient(url, (client) =>
    client.query<{ n: number }>('select count(*)::int as n from check_rows'),
  );
  return rows[0]?.n ?? 0;
}

const status = z.object({ state: z.string(), details: z.unknown() });

test('shards move to an added worker while results come in: each check is stored once, and alerts go on', async () => {
  if (typeof cluster === 'string') return;
  const { coordinator } = cluster;
  onTestFailed(() => void process.stdout.write(system.output().slice(-20_000)));
  await using watched = await watchDevices(system, coordinator, devices);
  const hitsBefore = watched.target.hits.length;
  const added = await cluster.addWorker();
  const fromMs = performance.now();
  await withClient(coordinator, (client) => client.query('select citus_rebalance_start()'));
  const isFinished = async () => {
    const { rows } = await withClient(coordinator, (client) =>
      client.query('select state::text, details from citus_rebalance_status()'),
    );
    const { state, details } = status.parse(rows[0]);
    if (!['scheduled', 'running', 'finished'].includes(state)) throw new Error(JSON.stringify(details));
    return state === 'finished';
  };
  let moves = 0;
  const heard: unknown[] = [];
  while (!(await isFinished())) {
    moves += 1;
    if (heard.length === 0) heard.push(await outage());
    await delay(200);
  }
  const movedMs = Math.round(performance.now() - fromMs);
  const movedHits = watched.target.hits.length - hitsBefore;
  const storedMs = await watched.untilBack();
  const shards = await withClient(coordinator, (client) =>
    client.query<{ n: number }>(
      'select count(*)::int as n from pg_dist_placement join pg_dist_node using (groupid) where nodeport = $1',
      [added.port],
    ),
  );
  const found = await watched.settle();
  const onAdded = shards.rows[0]?.n ?? 0;
  process.stdout.write(
    `ledger: ${JSON.stringify({ movedMs, movedHits, onAdded, heard, storedMs, ...found })}\n`,
  );
  expect(found).toMatchObject({ checks: found.hits, down: outages, offline: 0, gaps: 0, quarantined: 0 });
  expect(onAdded).toBeGreaterThan(0);
  expect(moves).toBeGreaterThan(0);
});
