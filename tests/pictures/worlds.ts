import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { operate } from '../harness/more-agents.ts';
import type { System } from '../harness/system.ts';
import { startTarget } from '../harness/target.ts';

const created = z.object({ device_id: z.string() });
const agents = z.array(z.object({ agent_id: z.string(), location_id: z.string() }));

/** Devices of a system: the first one is Down, the second one has names and texts as long as the API takes them. */
export interface Made extends AsyncDisposable {
  readonly devices: readonly string[];
  /** The ids of the first agent and its Location. */
  readonly firstAgent: () => Promise<{ readonly location: string; readonly agent: string }>;
  /** Adds a Location without an agent, and a device that only it can check. */
  readonly loseLocation: () => Promise<void>;
}

const longText = 'A name that goes on and on, and says where in the cellar it stands. '
  .repeat(16)
  .slice(0, 1_000);
const names = [
  'Router of the office',
  longText,
  'نظام المراقبة في القبو',
  'נתב ראשי',
  'Switch <b>7</b> & "8"',
  'mail.example.org',
  'Web shop',
  'Database',
  'DNS',
  'Printer',
  'Camera at the gate',
  'NAS',
  'VPN',
  'Wiki',
  'Build server',
  'Phone system',
  'Access point 1',
  'Access point 2',
  'Access point 3',
  'UPS',
];
const tags = ['berlin/rack-1', 'berlin/rack-2', 'oslo/cellar', 'service/web'];

/** One device, which is Up. */
export async function makeOne(system: System): Promise<Pick<Made, 'devices'> & AsyncDisposable> {
  const target = await startTarget();
  const body = { Method: 'TCP', URL: `127.0.0.1:${target.port}`, ShortName: 'router', FullName: 'My router' };
  const answer = await system.api.ok('POST', '/devices', { ...body, Frequency: 1 });
  await delay(8_000);
  return {
    devices: [created.parse(answer).device_id],
    [Symbol.asyncDispose]: () => target[Symbol.asyncDispose](),
  };
}

/** The devices that are web servers. */
const webServers = new Set([6, 11, 13, 14]);

async function startWebServer() {
  const server = createServer((_, answer) => void setTimeout(() => answer.end('welcome'), 20));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { server, URL: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/` };
}

/** 20 devices: one is Down with three behind it, one alone, one is in maintenance, one is paused. */
export async function makeTwenty(system: System): Promise<Made> {
  const [well, ill, web] = [await startTarget(), await startTarget(), await startWebServer()];
  const devices: string[] = [];
  for (const Name of tags) await system.api.ok('POST', '/tags', { Name });
  for (const [at, FullName] of names.entries()) {
    const isBehind = at >= 16 && at <= 18;
    const body = {
      Method: 'TCP',
      ShortName: `d-${at}`,
      FullName,
      Frequency: 1,
      Attempts: 1,
      URL: `127.0.0.1:${at === 0 || at === 1 || isBehind ? ill.port : well.port}`,
      ...(webServers.has(at) ? { Method: 'HTTP', URL: web.URL } : {}),
      Tags: [tags[at % tags.length]],
      ...(isBehind ? { device_master_id: devices[0] } : {}),
    };
    const { device_id } = created.parse(await system.api.ok('POST', '/devices', body));
    devices.push(device_id);
  }
  await delay(8_000);
  await ill.stop();
  await system.api.ok('PUT', `/devices/${devices[7]}/start-maintenance`, { Duration: '02:00' });
  await system.api.ok('PUT', `/devices/${devices[9]}`, { Enabled: false });
  await delay(8_000);
  return {
    devices,
    async firstAgent() {
      const [first] = agents.parse(await system.api.ok('GET', '/agents'));
      if (first === undefined) throw new Error('no agent');
      return { location: first.location_id, agent: first.agent_id };
    },
    async loseLocation() {
      operate(system, 'locations', 'create', 'Oslo');
      const body = { Method: 'TCP', URL: '192.0.2.1:9', ShortName: 'oslo-1', FullName: 'Switch in Oslo' };
      await system.api.ok('POST', '/devices', { ...body, Locations: ['Oslo'] });
    },
    async [Symbol.asyncDispose]() {
      web.server.close();
      await Promise.all([well[Symbol.asyncDispose](), ill[Symbol.asyncDispose]()]);
    },
  };
}
