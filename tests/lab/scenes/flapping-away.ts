import { addContacts, countsOf, expectMessages, giveSchedule, messagesTo, minutes } from '../cast.ts';
import { type Ground, until } from '../ground.ts';
import { locationsOnline } from '../rest.ts';
import { allAre, everyName, expectStatus, once, type Scene, startDevice, stopDevice } from '../scene.ts';
import { incident } from '../service-messages.ts';

/** Only B checks them. */
const falling = 3;
const well = 7;
const quietMinutes = 30;
const shortMinutes = 1.9;
const pauseMinutes = 1.6;

async function threeOutages(ground: Ground, device: number): Promise<void> {
  for (let i = 0; i < 3; i += 1) {
    stopDevice(ground, device);
    await minutes(ground, shortMinutes);
    startDevice(ground, device);
    await minutes(ground, pauseMinutes);
  }
}

/** Devices flap, and then nobody looks. */
export const flappingAway: Scene = {
  shows:
    'two devices flap, then their only agent is away for 33 minutes in which one fails: that one is never said to be Up while it is Down',
  ground: { scale: 20, controllers: 1 },
  isPlainOnly: true,
  limitSeconds: 360,
  async play(ground) {
    const { api, agents, truth, note, devices } = ground;
    const id = await addContacts(ground, { now: 'webhook', pd: 'pagerduty' });
    const names = [`dev-${falling}`, `dev-${well}`];
    await giveSchedule(ground, names, [{ DelayMinutes: 0, Contacts: ['now', 'pd'].map(id) }]);
    await Promise.all([threeOutages(ground, falling), threeOutages(ground, well)]);
    const differences: string[] = [];
    for (const about of names)
      differences.push(...(await expectMessages(ground, { contact: 'now', what: 'device.flapping', about })));
    await agents.B.kill();
    const unchecked = devices.filter(({ locations }) => locations.join() === 'B').map(({ name }) => name);
    for (const name of unchecked) truth.begin(name, 'unknown', 'B');
    stopDevice(ground, falling);
    note(`the agent of B is killed, and dev-${falling} fails`);
    await minutes(ground, quietMinutes + 3);
    agents.B.start();
    for (const name of unchecked) truth.end(name, 'unknown', 'B');
    await until(async () => (await locationsOnline(api)).get('B') === true, 60_000);
    differences.push(...(await expectStatus(ground, allAre('Down', [`dev-${falling}`]))));
    const fell = { contact: 'now', about: `dev-${falling}` };
    const before = messagesTo(ground, fell).length;
    await minutes(ground, 4);
    const heard = messagesTo(ground, fell).slice(6);
    note(`since the agent is back: ${heard.map(({ what }) => what).join(', ') || 'nothing'} (${before})`);
    if (heard.length === 0) differences.push('nobody was told that the device is Down');
    startDevice(ground, falling);
    differences.push(...(await expectStatus(ground, allAre('Up', everyName))));
    await minutes(ground, quietMinutes + 2);
    const told = (about: string, down: number, flaps: number, up: number) =>
      [
        [['now'], 'device.down', about, down],
        [['now'], 'device.flapping', about, flaps],
        [['now'], 'device.up', about, up],
        [['pd'], incident.opens, about, down + flaps],
        [['pd'], incident.ends, about, up],
      ] as const;
    return {
      messages: new Map(once(['location.offline', 'location.online'], ['B'])),
      others: countsOf([...told(`dev-${falling}`, 3, 2, 3), ...told(`dev-${well}`, 3, 1, 3)]),
      differences,
    };
  },
};
