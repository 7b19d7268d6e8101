import { addContacts, countsOf, expectMessages, giveSchedule, messagesTo, minutes } from '../cast.ts';
import { type LabFixture, until } from '../lab-fixture.ts';
import { locationsOnline } from '../rest.ts';
import { allAre, everyName, expectStatus, once, type Scene, startDevice, stopDevice } from '../scene.ts';
import { incident } from '../service-messages.ts';

/** Only B checks them. */
const falling = 3;
const well = 7;
const quietMinutes = 30;
const shortMinutes = 1.9;
const pauseMinutes = 1.6;

async function threeOutages(fixture: LabFixture, device: number): Promise<void> {
  for (let i = 0; i < 3; i += 1) {
    stopDevice(fixture, device);
    await minutes(fixture, shortMinutes);
    startDevice(fixture, device);
    await minutes(fixture, pauseMinutes);
  }
}

/** Devices flap, and then no agent checks them. */
export const flappingAway: Scene = {
  shows:
    'two devices flap, then their only agent is away for 33 minutes in which one fails: that one is never said to be Up while it is Down',
  fixture: { scale: 20, controllers: 1 },
  isPlainOnly: true,
  limitSeconds: 360,
  async play(fixture) {
    const { api, agents, truth, note, devices } = fixture;
    const id = await addContacts(fixture, { now: 'webhook', pd: 'pagerduty' });
    const names = [`dev-${falling}`, `dev-${well}`];
    await giveSchedule(fixture, names, [{ DelayMinutes: 0, Contacts: ['now', 'pd'].map(id) }]);
    await Promise.all([threeOutages(fixture, falling), threeOutages(fixture, well)]);
    const differences: string[] = [];
    for (const about of names)
      differences.push(
        ...(await expectMessages(fixture, { contact: 'now', what: 'device.flapping', about })),
      );
    await agents.B.kill();
    const unchecked = devices.filter(({ locations }) => locations.join() === 'B').map(({ name }) => name);
    for (const name of unchecked) truth.begin(name, 'unknown', 'B');
    stopDevice(fixture, falling);
    note(`the agent of B is killed, and dev-${falling} fails`);
    await minutes(fixture, quietMinutes + 3);
    agents.B.start();
    for (const name of unchecked) truth.end(name, 'unknown', 'B');
    await until(async () => (await locationsOnline(api)).get('B') === true, 60_000);
    differences.push(...(await expectStatus(fixture, allAre('Down', [`dev-${falling}`]))));
    const fell = { contact: 'now', about: `dev-${falling}` };
    const before = messagesTo(fixture, fell).length;
    await minutes(fixture, 4);
    const heard = messagesTo(fixture, fell).slice(6);
    note(`since the agent is back: ${heard.map(({ what }) => what).join(', ') || 'nothing'} (${before})`);
    if (heard.length === 0) differences.push('no contact heard that the device is Down');
    startDevice(fixture, falling);
    differences.push(...(await expectStatus(fixture, allAre('Up', everyName))));
    await minutes(fixture, quietMinutes + 2);
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
