// Ten agents with the launcher of the installer are upgraded from afar: to a good version by a rollout, to one that
// ends at once, and to one that hangs. In true time.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '@vantage/testing/free-port';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { operate } from '../harness/more-agents.ts';
import { repositoryRoot, type System, startSystem } from '../harness/system.ts';
import { startTarget, type Target } from '../harness/target.ts';
import { openWorks, type RunningAgent, type Works } from './installed-agents.ts';

const count = Number(process.env['CHAOS_UPGRADE_AGENTS'] ?? 10);
const deviceCount = 20;
const soon = { timeout: 1_500_000, interval: 1_000 };
const intervalMs = 60_000;
/** A check may start late on a busy machine. */
const slackMs = 30_000;

const invitation = z.object({ Token: z.string() });
const created = z.object({ device_id: z.string() });
const checks = z.array(z.object({ Timestamp: z.string(), ResultCode: z.int() }));
const agentRows = z.array(
  z.object({
    agent_id: z.string(),
    Name: z.string(),
    Location: z.string(),
    State: z.string(),
    Version: z.string().nullable(),
    Upgrade: z.object({ Version: z.string(), State: z.string(), Reason: z.string().nullable() }).nullable(),
  }),
);

let works: Works;
let system: System;
let target: Target;
const agents: RunningAgent[] = [];
const devices: string[] = [];

beforeAll(async () => {
  works = await openWorks();
  const port = await freePort();
  system = await startSystem({
    timeoutMs: 240_000,
    env: {
      VANTAGE_AGENT_PORT: String(port),
      VANTAGE_AGENT_URL: `https://localhost:${port}`,
      VANTAGE_PARCELS: works.parcels,
      VANTAGE_RELEASE_PUBLIC_KEY: works.releaseKey,
    },
  });
  target = await startTarget();
  operate(system, 'locations', 'create', 'field');
  const { agent_endpoint: endpoint, ca_file: caFile } = system.quickstart();
  for (let n = 0; n < count; n += 1) {
    const body = { Location: 'field', Name: `agent-${n}` };
    const { Token: token } = invitation.parse(await system.api.ok('POST', '/agents/invitations', body));
    agents.push(works.install(`agent-${n}`, { endpoint, token, caFile }).start());
  }
  await vi.waitFor(async () => expect(await withState('Connected')).toHaveLength(count), soon);
  for (let n = 0; n < deviceCount; n += 1) {
    const device = { Method: 'TCP', URL: `127.0.0.1:${target.port}`, ShortName: `dev-${n}`, Frequency: 1 };
    const made = await system.api.ok('POST', '/devices', { ...device, Timeout: 10, Locations: ['field'] });
    devices.push(created.parse(made).device_id);
  }
}, 900_000);

afterAll(async () => {
  await Promise.all(agents.map((agent) => agent[Symbol.asyncDispose]()));
  await system?.[Symbol.asyncDispose]();
  await target?.[Symbol.asyncDispose]();
  works?.[Symbol.dispose]();
});

const rows = async () =>
  agentRows
    .parse(await system.api.ok('GET', '/agents?Limit=100'))
    .filter(({ Location }) => Location === 'field');
const withState = async (state: string) => (await rows()).filter(({ State }) => State === state);
/** Starts a rollout to all agents of the account; that of the system runs from the checkout and is skipped. */
function rollOut(to: string): unknown {
  const env = {
    PATH: process.env['PATH'],
    VANTAGE_DATA: system.dataDir,
    VANTAGE_PARCELS: works.parcels,
    VANTAGE_RELEASE_PUBLIC_KEY: works.releaseKey,
  };
  const args = ['agents', 'upgrade', '--all', '--version', to, '--json'];
  const vantage = path.join(repositoryRoot, 'vantage');
  return JSON.parse(execFileSync(vantage, args, { encoding: 'utf8', cwd: repositoryRoot, env }));
}
/** Waits until each agent's upgrade to the version has one of these states. */
const upgraded = (to: string, state: string) =>
  vi.waitFor(async () => {
    const all = await rows();
    const reached = all.filter(({ Upgrade }) => Upgrade?.Version === to && Upgrade.State === state);
    expect(reached.length, JSON.stringify(all.map(({ Upgrade }) => Upgrade))).toBe(all.length);
    expect(all.every(({ State }) => State === 'Connected')).toBe(true);
  }, soon);

/** The longest time without a check of any device, milliseconds; every check was good. */
async function longestGap(sinceMs: number): Promise<number> {
  let longest = 0;
  for (const id of devices) {
    const all = checks.parse(await system.api.ok('GET', `/devices/${id}/checks?Limit=100`));
    expect(all.filter(({ ResultCode }) => ResultCode !== 1)).toEqual([]);
    const times = all.map(({ Timestamp }) => Date.parse(Timestamp)).filter((at) => at > sinceMs - intervalMs);
    const points = [...times, Date.now()].sort((a, b) => a - b);
    for (const [i, at] of points.entries()) longest = Math.max(longest, at - (points[i - 1] ?? at));
  }
  return longest;
}

test('a rollout upgrades all agents share by share, and no device misses more than one interval', async () => {
  await vi.waitFor(async () => expect(await longestGap(0)).toBeLessThan(intervalMs + slackMs), soon);
  const sinceMs = Date.now();
  await works.offer('0.9.1', 'works');
  expect(rollOut('0.9.1')).toMatchObject({
    version: '0.9.1',
    agents: count,
    skipped: [{ reason: expect.any(String) }],
  });
  await upgraded('0.9.1', 'Done');
  expect((await rows()).map(({ Version }) => Version)).toEqual(Array.from({ length: count }, () => '0.9.1'));
  expect(await longestGap(sinceMs)).toBeLessThan(2 * intervalMs + slackMs);
});

test('a version that ends at once is given up by each agent by itself, and no device misses more than one interval', async () => {
  const sinceMs = Date.now();
  await works.offer('0.9.2', 'ends at once');
  for (const { agent_id: id } of await rows())
    await system.api.ok('PUT', `/agents/${id}/upgrade`, { Version: '0.9.2' });
  await upgraded('0.9.2', 'Failed');
  const all = await rows();
  expect(new Set(all.map(({ Version }) => Version))).toEqual(new Set(['0.9.1']));
  for (const { Upgrade } of all) expect(Upgrade?.Reason).toContain('with exit status 7');
  expect(await longestGap(sinceMs)).toBeLessThan(2 * intervalMs + slackMs);
});

test('a rollout of a version that hangs stops after the first agent, which goes back after two minutes', async () => {
  const sinceMs = Date.now();
  await works.offer('0.9.3', 'hangs');
  rollOut('0.9.3');
  await vi.waitFor(async () => {
    const states = (await rows()).map(({ Upgrade }) => Upgrade?.State);
    expect(states.filter((state) => state === 'Failed')).toHaveLength(1);
    expect(states.filter((state) => state === 'Stopped')).toHaveLength(count - 1);
    expect(await withState('Connected')).toHaveLength(count);
  }, soon);
  const failed = (await rows()).find(({ Upgrade }) => Upgrade?.State === 'Failed');
  expect(failed).toMatchObject({ Version: '0.9.1', State: 'Connected' });
  expect(failed?.Upgrade?.Reason).toContain('did not connect and report within 120 s');
  expect(await longestGap(sinceMs)).toBeLessThan(2 * intervalMs + slackMs);
  const kept = readdirSync(path.join(works.folder, `${failed?.Name}/data/versions`)).sort();
  expect(kept).toEqual(['0.9.1', '0.9.1.sig', 'current', 'failed']);
});
