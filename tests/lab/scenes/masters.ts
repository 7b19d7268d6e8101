import { z } from 'zod';
import { behind, cutFloor, nearestRouter, plug } from '../floors.ts';
import { type LabFixture, until } from '../lab-fixture.ts';
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
/** The number of failures that an agent traces at the same time. */
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
  fixture: { scale: 6, controllers: 1, hasFloors: true },
  limitSeconds: 480,
  async play(fixture) {
    const everyName = fixture.devices.map(({ name }) => name);
    for (const name of everyName.filter((one) => !failingNames.includes(one)))
      await traceOnRequest(fixture, name);
    fixture.note(`${everyName.length - failing.length} devices are traced on request`);
    const during = await failInGroups(fixture);
    const found = await suggested(fixture);
    for (const { id, name } of fixture.devices) {
      const master = found.get(name)?.SuggestedMaster;
      if (master !== null) await fixture.api.ok('PUT', `/devices/${id}`, { device_master_id: master });
    }
    const atEnd = await killRouter(fixture, everyName);
    const wrong = differences(fixture, found);
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

const idOf = ({ devices }: LabFixture, name: string) => devices.find((one) => one.name === name)?.id ?? '';

async function readSuggestion(fixture: LabFixture, name: string): Promise<z.output<typeof suggestion>> {
  return suggestion.parse(await fixture.api.ok('GET', `/devices/${idOf(fixture, name)}/suggested-master`));
}

async function traceOnRequest(fixture: LabFixture, name: string): Promise<void> {
  for (let i = 0; i < tries; i += 1) {
    await fixture.api.ok('POST', `/devices/${idOf(fixture, name)}/traceroute`);
    const { Complete, SuggestedMaster } = await readSuggestion(fixture, name);
    if (Complete || SuggestedMaster === null) return;
  }
}

/** Some devices at a time lose their address and get it back, so that an agent traces each of them. */
async function failInGroups(fixture: LabFixture): Promise<readonly string[]> {
  const differences: string[] = [];
  const { network, truth, note } = fixture;
  for (let from = 0; from < failing.length; from += atOnce) {
    const group = failing.slice(from, from + atOnce);
    const names = group.map((i) => `dev-${i}`);
    for (const i of group) plug(network, i, 'del');
    for (const name of names) truth.begin(name, 'down', 'self');
    note(`${names.join(', ')} are unplugged`);
    differences.push(...(await expectStatus(fixture, allAre('Down', names))));
    await until(async () => {
      const all = await Promise.all(names.map((name) => readSuggestion(fixture, name)));
      return all.every(({ Traceroutes }) => Traceroutes > 0);
    }, tracedMs);
    for (const i of group) plug(network, i, 'add');
    for (const name of names) truth.end(name, 'down', 'self');
    differences.push(...(await expectStatus(fixture, allAre('Up', names))));
  }
  return differences;
}

async function suggested(fixture: LabFixture) {
  const all = fixture.devices.map(async ({ name }) => [name, await readSuggestion(fixture, name)] as const);
  return new Map(await Promise.all(all));
}

/** One line for each device whose suggestion is not the one of the topology. */
function differences(
  fixture: LabFixture,
  found: ReadonlyMap<string, z.output<typeof suggestion>>,
): readonly string[] {
  const nameOf = new Map(fixture.devices.map(({ name, id }) => [id, name]));
  return [...nearestRouter].flatMap(([name, expected]) => {
    const one = found.get(name);
    const got = nameOf.get(one?.SuggestedMaster ?? '');
    return got === expected
      ? []
      : [`${name}: the master ${expected ?? 'none'} expected, ${got ?? one?.Reason ?? 'none'} suggested`];
  });
}

async function killRouter(fixture: LabFixture, everyName: readonly string[]): Promise<readonly string[]> {
  const { network, truth, note } = fixture;
  const dead = behind(dying);
  cutFloor(network, dying, 'add');
  for (const name of dead) truth.begin(name, 'down', dying);
  note(`${dying} dies`);
  const alive = everyName.filter((name) => !dead.includes(name));
  const down = await expectStatus(fixture, new Map([...allAre('Down', dead), ...allAre('Up', alive)]));
  await intervals(fixture, 1);
  cutFloor(network, dying, 'del');
  for (const name of dead) truth.end(name, 'down', dying);
  note(`${dying} is back`);
  const up = await expectStatus(fixture, allAre('Up', everyName));
  await intervals(fixture, 2);
  return [...down, ...up];
}
