// The roles of a controller in processes of their own, on one database: api, two gateways, worker. The gateway that has
// the agent is killed, and then the worker.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { programEnv } from '@vantage/kernel/testing';
import { createTestDatabase } from '@vantage/testing/database';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createApi } from '../harness/api.ts';
import { type ControllerProcess, startController } from '../harness/controller-process.ts';
import { useOperator } from '../harness/operator.ts';
import { repositoryRoot } from '../harness/system.ts';
import { startTarget } from '../harness/target.ts';

const soon = { timeout: 90_000, interval: 200 };
const created = z.object({ device_id: z.string() });
const runOperator = useOperator();

const both = { api: [true, false], gateway: [false, true], worker: [false, false] } as const;

/** The parts on one database, an agent that knows both gateways, and a client of the API. */
async function startParts(held: AsyncDisposableStack) {
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-roles-'));
  held.defer(() => rmSync(folder, { recursive: true, force: true }));
  const database = held.use(await createTestDatabase());
  const shared = { VANTAGE_SECRET_KEY_FILE: path.join(folder, 'secret.key') };
  const start = async (role: keyof typeof both) => {
    const part = held.use(await startController(database.url, { ...shared, VANTAGE_ROLES: role }));
    expect([part.httpsPort !== undefined, part.agentPort !== undefined]).toEqual(both[role]);
    return part;
  };
  const worker = await start('worker');
  const [apiPart, one, two] = await Promise.all([start('api'), start('gateway'), start('gateway')]);
  const caFile = path.join(folder, 'ca.pem');
  writeFileSync(caFile, [apiPart, one, two].map(({ ca }) => ca).join('\n'));
  const settings = { ...shared, VANTAGE_DATABASE_URL: database.url, VANTAGE_DATA: folder };
  const operate = (...args: readonly string[]) => runOperator(settings, ...args);
  await operate('accounts', 'create', 'default');
  const { key } = z.object({ key: z.string() }).parse(await operate('keys', 'issue'));
  await operate('locations', 'create', 'here');
  const { token } = z
    .object({ token: z.string() })
    .parse(await operate('agents', 'invite', '--location', 'here', '--no-check'));
  const agent = spawn(process.execPath, [path.join(repositoryRoot, 'apps/agent/src/main.ts')], {
    env: {
      ...programEnv(),
      VANTAGE_AGENT_ENDPOINTS: [one, two].map(({ agentPort }) => `https://localhost:${agentPort}`).join(','),
      VANTAGE_AGENT_TOKEN: token,
      VANTAGE_CA_FILE: caFile,
      VANTAGE_AGENT_DATA: path.join(folder, 'agent'),
    },
    stdio: 'ignore',
  });
  const agentEnded = new Promise<void>((resolve) => agent.once('exit', () => resolve()));
  held.defer(async () => {
    agent.kill('SIGKILL');
    await agentEnded;
  });
  const api = createApi({ baseUrl: `https://localhost:${apiPart.httpsPort}/v1.1`, caFile, key });
  held.defer(async () => api.close());
  return { start, worker, gateways: [one, two] as const, api };
}

test('with the roles apart, a killed gateway and a killed worker lose nothing, and each process opens its ports only', {
  timeout: 480_000,
}, async () => {
  await using held = new AsyncDisposableStack();
  const { start, worker, gateways, api } = await startParts(held);
  await using target = await startTarget();
  const createDevice = async (ShortName: string) => {
    const body = {
      Method: 'TCP',
      URL: `127.0.0.1:${target.port}`,
      FrequencySeconds: 5,
      Timeout: 3,
      Attempts: 1,
    };
    return created.parse(await api.ok('POST', '/devices', { ...body, ShortName, Locations: ['here'] }))
      .device_id;
  };
  const statusOf = async (id: string) =>
    z.object({ Status: z.string() }).parse(await api.ok('GET', `/devices/${id}`)).Status;
  const checksOf = async (id: string) =>
    z.array(z.unknown()).parse(await api.ok('GET', `/devices/${id}/checks?Limit=1000`)).length;
  const becomes = (id: string, status: string) =>
    vi.waitFor(async () => expect(await statusOf(id)).toBe(status), soon);

  const first = await createDevice('first');
  await becomes(first, 'Up');

  const holds = (part: ControllerProcess) => part.log().includes('"agent connected"');
  const [one, two] = gateways;
  const [home, other] = holds(one) ? [one, two] : [two, one];
  expect(holds(other)).toBe(false);
  await home.kill();
  await vi.waitFor(() => expect(holds(other)).toBe(true), soon);
  // Each check that reached the target has its row, also those of the time without a gateway.
  const hits = target.hits.length;
  await vi.waitFor(async () => expect(await checksOf(first)).toBeGreaterThanOrEqual(hits), soon);
  await target.stop();
  await becomes(first, 'Down');
  await target.start();
  await becomes(first, 'Up');

  await worker.kill();
  const before = await checksOf(first);
  await vi.waitFor(async () => expect(await checksOf(first)).toBeGreaterThan(before + 1), soon);
  const second = await createDevice('second');
  await start('worker');
  await becomes(second, 'Up');
  const types = z
    .array(z.object({ Type: z.string() }))
    .parse(await api.ok('GET', `/devices/${first}/events?Limit=100`));
  expect(types.filter(({ Type }) => Type === 'Down')).toHaveLength(1);
});
