import { setTimeout as delay } from 'node:timers/promises';
import { cutRouter, healRouter, siteNames } from '../lab-fixture.ts';
import { allAre, everyName, expectStatus, once, type Scene, startDevice, stopDevice } from '../scene.ts';

/** Devices that die before the router, while it is dead, and not at all. */
const before = [0, 2, 7, 11, 14];
const meanwhile = [1, 3, 6, 10, 17];

/** Devices and the router die and return in random order. */
export const randomOrder: Scene = {
  shows:
    'router and devices die and return in random order: a message about each device that fails by itself, and no other',
  fixture: { scale: 6, controllers: 2 },
  async play(fixture) {
    const own = before.map((i) => `dev-${i}`);
    const later = meanwhile.map((i) => `dev-${i}`);
    for (const i of shuffled(before)) {
      stopDevice(fixture, i);
      await delay(Math.random() * 2000);
    }
    const first = await expectStatus(fixture, allAre('Down', own));
    cutRouter(fixture);
    for (const i of shuffled(meanwhile)) {
      await delay(Math.random() * 2000);
      stopDevice(fixture, i);
    }
    const second = await expectStatus(
      fixture,
      new Map([...allAre('Down', ['router', ...siteNames]), ['web', 'Up']]),
    );
    // Some devices of each group return while the router is still dead, which no agent can observe.
    for (const i of [before[0], meanwhile[0]]) if (i !== undefined) startDevice(fixture, i);
    await delay(5000);
    healRouter(fixture);
    const dead = [...own.slice(1), ...later.slice(1)];
    const alive = everyName.filter((name) => !dead.includes(name));
    const third = await expectStatus(fixture, new Map([...allAre('Down', dead), ...allAre('Up', alive)]));
    // A device that is still dead behind the living router alerts after a retry sequence of its own.
    await delay(2 * fixture.intervalMs);
    for (const i of shuffled([...before.slice(1), ...meanwhile.slice(1)])) {
      startDevice(fixture, i);
      await delay(Math.random() * 1000);
    }
    const fourth = await expectStatus(fixture, allAre('Up', everyName));
    return {
      messages: new Map(once(['device.down', 'device.up'], ['router', ...own, ...later.slice(1)])),
      differences: [...first, ...second, ...third, ...fourth],
    };
  },
};

function shuffled<T>(all: readonly T[]): T[] {
  const rest = [...all];
  return all.flatMap(() => rest.splice(Math.floor(Math.random() * rest.length), 1));
}
