import { z } from 'zod';
import type { Api } from '../harness/api.ts';
import { floorAddresses, floorDevice } from './floors.ts';
import { addresses, deviceCount } from './network.ts';

const created = z.object({ device_id: z.string() });

/** A device of the lab. */
export interface LabDevice {
  readonly name: string;
  readonly id: string;
  readonly locations: readonly string[];
}

/** Settings of a device: how often it is checked, and what confirms an outage. */
export type Rhythm =
  | { readonly Frequency: 1; readonly Retries: 2; readonly RetryDelay: 6 }
  | { readonly FrequencySeconds: 5; readonly Attempts: 1; readonly RetryDelay: 1 };

/** An error is confirmed two seconds and two answers after the first one (at scale 6). */
export const eachMinute: Rhythm = { Frequency: 1, Retries: 2, RetryDelay: 6 };
/** The first error is the outage; where another Location is online, its check must agree. */
export const eachFiveSeconds: Rhythm = { FrequencySeconds: 5, Attempts: 1, RetryDelay: 1 };

/** The time between two checks, milliseconds of the rules. */
export function intervalOf(rhythm: Rhythm): number {
  return 'FrequencySeconds' in rhythm ? rhythm.FrequencySeconds * 1000 : rhythm.Frequency * 60_000;
}

/** An API, and the rhythm of the devices that are created in it. */
interface Place {
  readonly api: Api;
  readonly rhythm: Rhythm;
}

/** The Locations of a device behind the router: half of them have both, a quarter A, a quarter B. */
function locationsOf(device: number): readonly string[] {
  const all = [['A', 'B'], ['A', 'B'], ['A'], ['B']];
  return all[device % all.length] ?? [];
}

const both = ['A', 'B'];

function createIn({ api, rhythm }: Place) {
  return async (name: string, locations: readonly string[], body: Record<string, unknown>) => {
    const answer = await api.ok('POST', '/devices', {
      Timeout: 2,
      ...rhythm,
      ...body,
      ShortName: name,
      Locations: locations,
    });
    return { name, locations, id: created.parse(answer).device_id };
  };
}

/** Creates the router and the web server, which both Locations reach without the router. */
async function createFront(place: Place): Promise<readonly [router: LabDevice, web: LabDevice]> {
  const create = createIn(place);
  const router = await create('router', both, { Method: 'PING', URL: addresses.router });
  return [router, await create('web', both, { Method: 'HTTP', URL: `http://${addresses.web}/` })];
}

/** Creates the devices on the host of A's agent, home-0 and home-1. */
export async function createHomeDevices(place: Place): Promise<readonly LabDevice[]> {
  const create = createIn(place);
  return Promise.all(
    addresses.homes.map((address, i) =>
      create(`home-${i}`, ['A'], { Method: 'TCP', URL: `${address}:7000` }),
    ),
  );
}

/** Creates the router, the devices behind it, and the web server. */
export async function createDevices(place: Place): Promise<readonly LabDevice[]> {
  const front = await createFront(place);
  const behind = Array.from({ length: deviceCount }, (_, i) =>
    createIn(place)(`dev-${i}`, locationsOf(i), {
      Method: 'TCP',
      URL: `${addresses.device(i)}:7000`,
      device_master_id: front[0].id,
    }),
  );
  return [...front, ...(await Promise.all(behind))];
}

/** Creates the routers, the devices behind them, and the web server, all without masters. */
export async function createFloorDevices(place: Place): Promise<readonly LabDevice[]> {
  const create = createIn(place);
  const routers = [...floorAddresses].map(([name, URL]) => create(name, both, { Method: 'PING', URL }));
  const behind = Array.from({ length: deviceCount }, (_, i) =>
    create(`dev-${i}`, locationsOf(i), { Method: 'TCP', URL: `${floorDevice(i)}:7000` }),
  );
  return [...(await createFront(place)), ...(await Promise.all([...routers, ...behind]))];
}
