// A retry comes from a second agent of the Location where no other Location is online.
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type MoreAgent, startAgent } from '../../harness/more-agents.ts';
import { statusEvents } from '../../harness/status-events.ts';
import { startTarget } from '../../harness/target.ts';
import { fast, operate, system } from './system.ts';

const soon = { timeout: 60_000, interval: 300 };
const created = z.object({ device_id: z.string() });
const events = z.array(z.object({ Type: z.string(), Timestamp: z.string() }));
const listed = z.array(z.object({ check_id: z.string() }));
const seen = z.object({
  agent_id: z.string(),
  Attempt: z.int(),
  ResultCode: z.int(),
  RetryId: z.string().nullable(),
  Timestamp: z.string(),
});

async function connected(agents: readonly MoreAgent[]) {
  const row = z.array(z.object({ agent_id: z.string(), State: z.string() }));
  await vi.waitFor(async () => {
    const all = row.parse(await system.api.ok('GET', '/agents'));
    const up = all.filter((one) => one.State === 'Connected').map((one) => one.agent_id);
    for (const { agentId } of agents) expect(up).toContain(agentId);
  }, soon);
}

/** A target that resets connections does not send this greeting. */
const Options = { Steps: [{ Expect: '220' }] };

async function makeDevice(port: number, values: Record<string, unknown>): Promise<string> {
  const body = {
    Method: 'TCP',
    URL: `127.0.0.1:${port}`,
    ShortName: 'two',
    Frequency: 1,
    Timeout: 5,
    Options,
  };
  return created.parse(await system.api.ok('POST', '/devices', { ...body, Locations: ['pair'], ...values }))
    .device_id;
}

const typesOf = async (id: string) => {
  const all = events.parse(await system.api.ok('GET', `/devices/${id}/events?Limit=100`));
  return statusEvents(all.map((event) => event.Type)).reverse();
};

async function checksOf(id: string) {
  const rows = listed.parse(await system.api.ok('GET', `/devices/${id}/checks?Limit=100`));
  const all = await Promise.all(rows.map((row) => system.api.ok('GET', `/checks/${row.check_id}/extended`)));
  return all.map((one) => seen.parse(one)).reverse();
}

test('two agents of one Location retry alternately; when the second one is killed, the first one runs the rest of the retry sequence', {
  timeout: 480_000,
}, async () => {
  await operate('locations', 'create', 'pair');
  const invite = () => operate('agents', 'invite', '--location', 'pair');
  await using one = startAgent(system, 'pair', { name: 'one', env: fast, invited: await invite() });
  await using two = startAgent(system, 'pair', { name: 'two', env: fast, invited: await invite() });
  await connected([one, two]);
  await using target = await startTarget();
  const id = await makeDevice(target.port, { Retries: 3, RetryDelay: 20 });
  await vi.waitFor(async () => expect(await typesOf(id)).toEqual(['Created', 'Up']), soon);
  target.manner = 'reset';
  await vi.waitFor(async () => expect(await typesOf(id)).toContain('Down'), soon);
  target.manner = 'ok';
  await vi.waitFor(async () => expect((await typesOf(id)).at(-1)).toBe('Up'), soon);
  expect(await typesOf(id)).toEqual(['Created', 'Up', 'Error', 'Down', 'Up']);

  const all = await checksOf(id);
  const chain = all.filter((check) => check.RetryId !== null && check.ResultCode !== 1);
  expect(chain.map((check) => check.Attempt)).toEqual([0, 1, 2, 3]);
  const [holder] = chain.map((check) => check.agent_id);
  const other = holder === one.agentId ? two : one;
  const pair = [holder, other.agentId];
  expect(chain.map((check) => check.agent_id)).toEqual([...pair, ...pair]);
  expect(new Set(all.filter((check) => check.Attempt === 0).map((check) => check.agent_id))).toEqual(
    new Set([holder]),
  );
  expect(target.hits.length).toBeGreaterThanOrEqual(all.length);

  other.process.kill('SIGKILL');
  target.manner = 'reset';
  await vi.waitFor(
    async () => expect((await typesOf(id)).filter((type) => type === 'Down')).toHaveLength(2),
    soon,
  );
  const later = (await checksOf(id)).filter((check) => check.ResultCode !== 1).slice(chain.length);
  expect(new Set(later.filter((check) => check.Attempt > 0).map((check) => check.Attempt)).size).toBe(3);
});
