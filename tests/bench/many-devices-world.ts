import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { operate, startAgent } from '../harness/more-agents.ts';
import type { System } from '../harness/system.ts';

const [masters, behind, sites, racks] = [2, 28, 10, 30];
const atOnce = 500;
/** The devices that are Down: masters and those behind them. */
export const downDevices = masters + behind;

async function createAll(
  { api }: System,
  path: string,
  bodies: readonly object[],
): Promise<readonly string[]> {
  const results = z.object({
    Results: z.array(
      z.object({
        Status: z.literal(200),
        Body: z.looseObject({ device_id: z.string().optional(), tag_id: z.string().optional() }),
      }),
    ),
  });
  const ids: string[] = [];
  for (let from = 0; from < bodies.length; from += atOnce) {
    const Operations = bodies
      .slice(from, from + atOnce)
      .map((Body) => ({ Method: 'POST', Path: path, Body }));
    const { Results } = results.parse(await api.ok('POST', '/batch', { Operations }));
    ids.push(...Results.map(({ Body }) => Body.device_id ?? Body.tag_id ?? ''));
  }
  return ids;
}

/**
 * Creates devices at 3 Locations with 300 tags, a few of them Down behind 2 masters, and waits until all were checked.
 * `port` accepts connections. `resources` get the agents.
 */
export async function makeManyDevices(
  system: System,
  {
    devices,
    port,
    resources,
  }: { readonly devices: number; readonly port: number; readonly resources: AsyncDisposableStack },
): Promise<void> {
  const locations = ['local', 'Oslo', 'Rome'];
  for (const location of locations.slice(1)) {
    operate(system, 'locations', 'create', location);
    resources.use(startAgent(system, location, { name: `agent-${location}` }));
  }
  const tagOf = (n: number) => `site-${n % sites}/rack-${Math.floor(n / sites) % racks}`;
  await createAll(
    system,
    '/tags',
    Array.from({ length: sites * racks }, (_, n) => ({ Name: tagOf(n) })),
  );
  const device = (n: number, more: object) => ({
    Method: 'TCP',
    URL: `127.0.0.1:${port}`,
    ShortName: `d${n}`,
    FullName: `Device ${n} of the cellar`,
    Frequency: 60,
    Timeout: 5,
    Tags: [tagOf(n)],
    Locations: [locations[n % locations.length]],
    ...more,
  });
  const closed = { URL: '127.0.0.1:9', Attempts: 1, Frequency: 1 };
  const gates = await createAll(
    system,
    '/devices',
    Array.from({ length: masters }, (_, n) => device(n, { ...closed, FullName: `Gate ${n}` })),
  );
  await createAll(
    system,
    '/devices',
    Array.from({ length: behind }, (_, n) =>
      device(masters + n, { ...closed, device_master_id: gates[n % masters] }),
    ),
  );
  const rest = devices - downDevices;
  await createAll(
    system,
    '/devices',
    Array.from({ length: rest }, (_, n) => device(downDevices + n, {})),
  );
  const summary = z.object({ Devices: z.object({ Up: z.number(), Down: z.number() }) });
  for (;;) {
    const { Up, Down } = summary.parse(await system.api.ok('GET', '/summary')).Devices;
    process.stdout.write(`${Up} Up, ${Down} Down after ${(performance.now() / 1_000).toFixed(0)} s\n`);
    if (Up === rest && Down === downDevices) break;
    await delay(5_000);
  }
}
