// Two controllers on one PostgreSQL with one agent each must record the same as one controller with both agents. Two
// installations check the same targets at the same time, so both meet the same outages.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@vantage/testing/free-port';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Api, createApi } from '../harness/api.ts';
import { statusEvents } from '../harness/status-events.ts';
import { repositoryRoot, type System, startSystem } from '../harness/system.ts';
import { startTarget } from '../harness/target.ts';

const vantage = path.join(repositoryRoot, 'vantage');
const created = z.object({ device_id: z.string() });
const events = z.array(
  z.object({ Type: z.string(), Timestamp: z.string(), Location: z.string().nullable() }),
);
const uptime = z.object({
  Uptime: z.object({ UpSeconds: z.number(), DownSeconds: z.number(), Outages: z.number() }),
});

test('two controllers with one agent each record the same events and uptime as one controller with both', {
  timeout: 900_000,
}, async () => {
  const children: ChildProcess[] = [];
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-two-'));
  await using one = await startSystem();
  await using two = await startSystem();
  try {
    const second = await secondController(two, folder, children);
    for (const system of [one, two]) for (const name of ['A', 'B']) cli(system, 'locations', 'create', name);
    const own = (system: System) => ({
      endpoint: system.quickstart().agent_endpoint,
      ca: system.quickstart().ca_file,
    });
    startAgent(one, 'A', own(one), path.join(folder, 'one-a'), children);
    startAgent(one, 'B', own(one), path.join(folder, 'one-b'), children);
    startAgent(two, 'A', own(two), path.join(folder, 'two-a'), children);
    startAgent(two, 'B', { endpoint: second.endpoint, ca: second.ca }, path.join(folder, 'two-b'), children);
    await delay(10_000);
    await using steady = await startTarget();
    await using sick = await startTarget();
    const pairs: Pair[] = [];
    for (const { port } of [steady, sick])
      pairs.push({ one: await createDevice(one.api, port), two: await createDevice(two.api, port) });
    await delay(70_000);
    await sick.stop();
    await delay(130_000);
    await sick.start();
    await delay(130_000);
    const apis = { one: one.api, two: two.api, second: second.api };
    for (const [outages, pair] of pairs.entries()) await expectSame(apis, pair, outages);
    second.api.close();
  } finally {
    for (const child of children) child.kill('SIGTERM');
    await delay(3000);
    rmSync(folder, { recursive: true, force: true });
  }
});

/** The ids of two devices with one target: one in each installation. */
interface Pair {
  readonly one: string;
  readonly two: string;
}

async function createDevice(api: Api, port: number): Promise<string> {
  const answer = await api.ok('POST', '/devices', {
    Method: 'TCP',
    URL: `127.0.0.1:${port}`,
    ShortName: 'same',
    Frequency: 1,
    Timeout: 3,
    Locations: ['A', 'B'],
  });
  return created.parse(answer).device_id;
}

/**
 * Compares the answers of both controllers of the second installation with each other and with those of the first
 * installation.
 */
async function expectSame(
  apis: { readonly one: Api; readonly two: Api; readonly second: Api },
  pair: Pair,
  outages: number,
): Promise<void> {
  const now = encodeURIComponent(new Date().toISOString());
  const route = (id: string) => `/devices/${id}/events?Limit=100&Timestamp=${now}`;
  const here = await apis.two.call('GET', route(pair.two));
  const there = await apis.second.call('GET', route(pair.two));
  expect(there.text).toBe(here.text);
  const types = (body: unknown) => statusEvents(events.parse(body).map((event) => event.Type));
  expect(types(here.body)).toEqual(types(await apis.one.ok('GET', route(pair.one))));
  const uptimeOf = async (api: Api, id: string) =>
    uptime.parse(await api.ok('GET', `/devices/${id}/uptime?Timestamp2=${now}`)).Uptime;
  const a = await uptimeOf(apis.second, pair.two);
  const b = await uptimeOf(apis.one, pair.one);
  process.stdout.write(`${outages} outages: two ${JSON.stringify(a)} one ${JSON.stringify(b)}\n`);
  expect(a.Outages).toBe(b.Outages);
  expect(Math.abs(a.DownSeconds - b.DownSeconds)).toBeLessThanOrEqual(3);
  expect(a.Outages).toBe(outages);
}

/** A second controller on the first one's database, with a CA of its own and the same key for secrets. */
async function secondController(
  first: System,
  folder: string,
  children: ChildProcess[],
): Promise<{ api: Api; endpoint: string; ca: string }> {
  const [https, agents] = [await freePort(), await freePort()];
  const data = path.join(folder, 'second');
  const child = spawn(vantage, ['controller'], {
    cwd: repositoryRoot,
    env: {
      PATH: process.env['PATH'],
      VANTAGE_DATA: data,
      VANTAGE_DATABASE_URL: first.quickstart().database_url,
      VANTAGE_SECRET_KEY_FILE: path.join(first.dataDir, 'secret.key'),
      VANTAGE_HTTPS_PORT: String(https),
      VANTAGE_AGENT_PORT: String(agents),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  children.push(child);
  const ca = path.join(data, 'tls', 'ca.pem');
  for (let i = 0; i < 300 && !existsSync(ca); i += 1) await delay(100);
  await delay(2000);
  const api = createApi({
    baseUrl: `https://localhost:${https}/v1.1`,
    caFile: ca,
    key: first.quickstart().api_key_uw,
  });
  return { api, endpoint: `https://localhost:${agents}`, ca };
}

function cli(system: System, ...args: string[]): unknown {
  const env = { ...process.env, VANTAGE_DATA: system.dataDir };
  return JSON.parse(
    execFileSync(vantage, [...args, '--json'], { encoding: 'utf8', cwd: repositoryRoot, env }),
  );
}

function startAgent(
  system: System,
  location: string,
  to: { readonly endpoint: string; readonly ca: string },
  data: string,
  children: ChildProcess[],
): void {
  const { token } = z
    .object({ token: z.string() })
    .parse(cli(system, 'agents', 'invite', '--location', location));
  const child = spawn(vantage, ['agent'], {
    cwd: repositoryRoot,
    env: {
      PATH: process.env['PATH'],
      VANTAGE_AGENT_ENDPOINTS: to.endpoint,
      VANTAGE_AGENT_TOKEN: token,
      VANTAGE_CA_FILE: to.ca,
      VANTAGE_AGENT_DATA: data,
    },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  children.push(child);
}
