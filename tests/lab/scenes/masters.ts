import { z } from 'zod';
import { behind, cutFloor, nearestRouter, plug } from '../floors.ts';
import { type Ground, until } from '../ground.ts';
import { deviceCount } from '../network.ts';
import { allAre, expectStatus, intervals, once, type Scene } from '../scene.ts';

const suggestion = z.object({
  SuggestedMaster: z.string().nullable(),
  Traceroutes: z.number(),
  Complete: z.boolean(),
  Reason: z.string().nullable(),
});

/** A traceroute on request is repeated where a router was silent. */
const tries = 3;
/** An agent traces so many failures at once. */
const atOnce = 4;
const tracedMs = 30_000;
/** This router dies at the end. */
const dying = 'floor-2';

/** Devices fail by themselves where their number is odd; all others are traced on request. */
const failing = Array.from({ length: deviceCount }, (_, i) => i).filter((i) => i % 2 === 1);
const failingNames = failing.map((i) => `dev-${i}`);

/** Masters are suggested from both kinds of traceroutes, set, and then a router dies. */
export const suggestedMasters: Scene = {
  shows:
    'the master of each of 20 devices behind four routers is suggested, from requests and from failures; set by one PUT each, they leave one message when a router dies',
  ground: { scale: 6, controllers: 1, hasFloors: true },
  limitSeconds: 480,
  async play(ground) {
    const everyName = ground.devices.map(({ name }) => name);
    for (const name of everyName.filter((one) => !failingNames.includes(one)))
      await traceOnRequest(ground, name);
    ground.note(`${everyName.length - failing.length} devices are traced on request`);
    const during = await failInGroups(ground);
    const found = await suggested(ground);
    for (const { id, name } of ground.devices) {
      const master = found.get(name)?.SuggestedMaster;
      if (master !== null) await ground.api.ok('PUT', `/devices/${id}`, { device_master_id: master });
    }
    const atEnd = await killRouter(ground, everyName);
    const wrong = differences(ground, found);
    const others = everyName.length - deviceCount;
    const wrongDevices = wrong.filter((text) => text.startsWith('dev-')).length;
    return {
      messages: new Map(once(['device.down', 'device.up'], [...failingNames, dying])),
      facts: {
        'right masters of devices': `${deviceCount - wrongDevices} of ${deviceCount}`,
        'of these traced on request': deviceCount - failing.length,
        'of these traced after a failure': failing.length,
        'right for routers and the web server': `${others - (wrong.length - wrongDevices)} of ${others}`,
      },
      differences: [...during, ...wrong, ...atEnd],
    };
  },
};

const idOf = ({ devices }: Ground, name: string) => devices.find((one) => one.name === name)?.id ?? '';

async function readSuggestion(ground: Ground, name: string): Promise<z.output<typeof suggestion>> {
  return suggestion.parse(await ground.api.ok('GET', `/devices/${idOf(ground, name)}/suggested-master`));
}

async function traceOnRequest(ground: Ground, name: string): Promise<void> {
  for (let i = 0; i < tries; i += 1) {
    await ground.api.ok('POST', `/devices/${idOf(ground, name)}/traceroute`);
    const { Complete, SuggestedMaster } = await readSuggestion(ground, name);
    if (Complete || SuggestedMaster === null) return;
  }
}

/** Some devices at a time lose their address and get it back, so that an agent traces each of them. */
async function failInGroups(ground: Ground): Promise<readonly string[]> {
  const differences: string[] = [];
  const { network, truth, note } = ground;
  for (let from = 0; from < failing.length; from += atOnce) {
    const group = failing.slice(from, from + atOnce);
    const names = group.map((i) => `dev-${i}`);
    for (const i of group) plug(network, i, 'del');
    for (const name of names) truth.begin(name, 'down', 'self');
    note(`${names.join(', ')} are unplugged`);
    differences.push(...(await expectStatus(ground, allAre('Down', names))));
    await until(async () => {
      const all = await Promise.all(names.map((name) => readSuggestion(ground, name)));
      return all.every(({ Traceroutes }) => Traceroutes > 0);
    }, tracedMs);
    for (const i of group) plug(network, i, 'add');
    for (const name of names) truth.end(name, 'down', 'self');
    differences.push(...(await expectStatus(ground, allAre('Up', names))));
  }
  return differences;
}

async function suggested(ground: Ground) {
  const all = ground.devices.map(async ({ name }) => [name, await readSuggestion(ground, name)] as const);
  return new Map(await Promise.all(all));
}

/** One line for each device whose suggestion is not the one of the topology. */
function differences(
  ground: Ground,
  found: ReadonlyMap<string, z.output<typeof suggestion>>,
): readonly string[] {
  const nameOf = new Map(ground.devices.map(({ name, id }) => [id, name]));
  return [...nearestRouter].flatMap(([name, expected]) => {
    const one = found.get(name);
    const got = nameOf.get(one?.SuggestedMaster ?? '');
    return got === expected
      ? []
      : [`${name}: the master ${expected ?? 'none'} expected, ${got ?? one?.Reason ?? 'none'} suggested`];
  });
}

async function killRouter(ground: Ground, everyName: readonly string[]): Promise<readonly string[]> {
  const { network, truth, note } = ground;
  const dead = behind(dying);
  cutFloor(network, dying, 'add');
  for (const name of dead) truth.begin(name, 'down', dying);
  note(`${dying} dies`);
  const alive = everyName.filter((name) => !dead.includes(name));
  const down = await expectStatus(ground, new Map([...allAre('Down', dead), ...allAre('Up', alive)]));
  await intervals(ground, 1);
  cutFloor(network, dying, 'del');
  for (const name of dead) truth.end(name, 'down', dying);
  note(`${dying} is back`);
  const up = await expectStatus(ground, allAre('Up', everyName));
  await intervals(ground, 2);
  return [...down, ...up];
}
