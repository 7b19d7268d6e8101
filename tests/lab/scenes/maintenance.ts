import { setTimeout as delay } from 'node:timers/promises';
import { type LabFixture, until } from '../lab-fixture.ts';
import { allAre, everyName, expectStatus, once, type Scene, startDevice, stopDevice } from '../scene.ts';

/** The master must be verified within its Timeout and 5 s. */
const verifyMs = 10_000;

/** Maintenance of a device begins. Its window is longer than the scene; `stop` ends it. */
async function maintain(fixture: LabFixture, device: number, verb: 'start' | 'stop'): Promise<void> {
  const { api, devices, truth, note } = fixture;
  const name = `dev-${device}`;
  const id = devices.find((one) => one.name === name)?.id;
  await api.ok('PUT', `/devices/${id}/${verb}-maintenance`, verb === 'start' ? { Duration: '01:00' } : {});
  if (verb === 'start') truth.begin(name, 'maintenance', 'window');
  else truth.end(name, 'maintenance', 'window');
  note(`${name}: maintenance ${verb === 'start' ? 'begins' : 'ends'}`);
}

/** Windows begin and end before, within and after an outage. */
export const maintenance: Scene = {
  shows:
    'maintenance around an outage: no message within a window; an outage that outlasts it alerts at its end; Up follows every Down',
  fixture: { scale: 6, controllers: 2 },
  async play(fixture) {
    const [covered, outlasts, during, quiet] = [0, 1, 4, 5];
    for (const device of [covered, outlasts, quiet]) await maintain(fixture, device, 'start');
    for (const device of [covered, outlasts, during]) stopDevice(fixture, device);
    const inMaint = [covered, outlasts, quiet].map((i) => `dev-${i}`);
    const first = await expectStatus(
      fixture,
      new Map([...allAre('Maint', inMaint), [`dev-${during}`, 'Down']]),
    );
    // A window that begins before the master is verified would suppress the message.
    await until(async () => fixture.hooks.hooks.length > 0, verifyMs);
    await maintain(fixture, during, 'start');
    await delay(2 * fixture.intervalMs);
    startDevice(fixture, covered);
    startDevice(fixture, during);
    await delay(2 * fixture.intervalMs);
    for (const device of [covered, outlasts, during, quiet]) await maintain(fixture, device, 'stop');
    const down = `dev-${outlasts}`;
    const second = await expectStatus(
      fixture,
      new Map([
        ...allAre(
          'Up',
          everyName.filter((name) => name !== down),
        ),
        [down, 'Down'],
      ]),
    );
    await delay(2 * fixture.intervalMs);
    startDevice(fixture, outlasts);
    const third = await expectStatus(fixture, allAre('Up', everyName));
    return {
      messages: new Map(once(['device.down', 'device.up'], [down, `dev-${during}`])),
      differences: [...first, ...second, ...third],
    };
  },
};
