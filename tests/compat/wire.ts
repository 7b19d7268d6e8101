import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { withClient } from '@vantage/testing/postgres-url';
import { expect, vi } from 'vitest';
import { z } from 'zod';
import { type Api, createApi } from '../harness/api.ts';
import { statusEvents } from '../harness/status-events.ts';
import { startTarget } from '../harness/target.ts';
import { controllerPorts, startAgent, startController } from './programs.ts';
import type { Restored } from './restore.ts';
import { coverageOfAgent } from './rows.ts';

/** Intervals pass ten times faster, so a device's minute takes six seconds. */
const scale = 10;
const fast = { NODE_ENV: 'test', VANTAGE_TEST_TIME_SCALE: String(scale) };
const soon = { timeout: 60_000, interval: 300 };

const agentRows = z.array(z.object({ agent_id: z.string(), Location: z.string(), State: z.string() }));
const events = z.array(z.object({ Type: z.string(), Timestamp: z.string() }));
const checks = z.array(z.object({ check_id: z.string() }));
const extended = z.object({
  agent_id: z.string(),
  Attempt: z.int(),
  ResultCode: z.int(),
  RetryId: z.string().nullable(),
});

/**
 * Runs a controller of one version with two agents of another at one Location, and uses everything that their stream
 * can do: assignments, results, a run request, a retry sequence that the controller leads, coverage, and a backlog
 * after the controller was stopped. Resolves with the number of checks that were stored.
 */
export async function exchange(
  old: Restored,
  programs: { readonly controller: string; readonly agent: string },
): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const { databaseUrl, dataDir } = old;
  const deps = {
    program: programs.controller,
    databaseUrl,
    dataDir,
    ports: await controllerPorts(),
    env: fast,
  };
  let controller = await startController(deps);
  stack.defer(() => controller[Symbol.asyncDispose]());
  const api = createApi({ baseUrl: controller.baseUrl, caFile: controller.caFile, key: old.key });
  stack.defer(() => api.close());
  for (const [n, token] of old.wire.entries()) {
    const folder = path.join(dataDir, `wire-${n}`);
    mkdirSync(folder);
    const { endpoint, caFile } = controller;
    stack.use(startAgent({ program: programs.agent, endpoint, caFile, token, dataDir: folder, env: fast }));
  }
  const pair = await connected(api);

  const target = stack.use(await startTarget());
  const device = {
    Method: 'TCP',
    URL: `127.0.0.1:${target.port}`,
    ShortName: 'wire',
    Locations: ['wire'],
    Frequency: 1,
    Timeout: 5,
    Retries: 2,
    RetryDelay: 10,
    Options: { Steps: [{ Expect: '220' }] },
  };
  const { device_id: id } = z
    .object({ device_id: z.string() })
    .parse(await api.ok('POST', '/devices', device));
  await vi.waitFor(async () => expect(await typesOf(api, id)).toEqual(['Created', 'Up']), soon);
  expect(await api.ok('POST', `/devices/${id}/check`)).toMatchObject({ ResultCode: 1 });
  target.manner = 'reset';
  await vi.waitFor(async () => expect(await typesOf(api, id)).toContain('Down'), soon);
  target.manner = 'ok';
  await vi.waitFor(async () => expect((await typesOf(api, id)).at(-1)).toBe('Up'), soon);
  expect(await typesOf(api, id)).toEqual(['Created', 'Up', 'Error', 'Down', 'Up']);
  await retriedInTurn(api, id, pair);

  await covered(databaseUrl, pair);

  // The controller stops. The agent's results of this time arrive when the controller is back.
  await controller[Symbol.asyncDispose]();
  const seen = target.hits.length;
  await vi.waitFor(() => expect(target.hits.length).toBeGreaterThan(seen + 1), soon);
  controller = await startController(deps);
  // The programs end when this function returns, so it waits for the answer.
  return await vi.waitFor(async () => {
    const hits = target.hits.length;
    const { length } = await allChecks(api, id);
    expect(length).toBeGreaterThan(seen + 2);
    expect(length).toBe(hits);
    return length;
  }, soon);
}

/** Waits until both agents of the Location are connected. Resolves with their ids. */
async function connected(api: Api): Promise<readonly string[]> {
  return vi.waitFor(async () => {
    const rows = agentRows.parse(await api.ok('GET', '/agents'));
    const up = rows.filter((row) => row.Location === 'wire' && row.State === 'Connected');
    expect(up).toHaveLength(2);
    return up.map((row) => row.agent_id);
  }, soon);
}

async function typesOf(api: Api, id: string): Promise<string[]> {
  const all = events.parse(await api.ok('GET', `/devices/${id}/events?Limit=100`));
  return statusEvents(all.map((event) => event.Type)).reverse();
}

async function allChecks(api: Api, id: string): Promise<readonly { readonly check_id: string }[]> {
  return checks.parse(await api.ok('GET', `/devices/${id}/checks?Limit=100`));
}

/** The retries have their numbers and one id, and come from both agents, because the controller requested them. */
async function retriedInTurn(api: Api, id: string, pair: readonly string[]): Promise<void> {
  const rows = (await allChecks(api, id)).toReversed();
  const all = await Promise.all(
    rows.map(async (row) => extended.parse(await api.ok('GET', `/checks/${row.check_id}/extended`))),
  );
  // On a slow machine the controller may request a retry from the other agent too, when the first one answers late.
  const failed = all.filter((check) => check.ResultCode !== 1 && check.RetryId !== null);
  expect(failed[0]?.Attempt).toBe(0);
  expect(new Set(failed.map((check) => check.Attempt))).toEqual(new Set([0, 1, 2]));
  expect(new Set(failed.map((check) => check.RetryId)).size).toBe(1);
  expect(new Set(failed.map((check) => check.agent_id))).toEqual(new Set(pair));
}

/** Both agents reported the spans in which they ran everything that was due. */
async function covered(databaseUrl: string, pair: readonly string[]): Promise<void> {
  for (const agent of pair)
    await vi.waitFor(async () => {
      const spans = await withClient(databaseUrl, (client) => coverageOfAgent(client, agent));
      const longest = Math.max(0, ...spans.map((span) => span.to_us - span.from_us));
      expect(longest).toBeGreaterThan(1_000_000);
    }, soon);
}
