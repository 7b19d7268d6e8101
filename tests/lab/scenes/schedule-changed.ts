import { addContacts, countsOf, expectMessages, giveSchedule, idOf, minutes } from '../cast.ts';
import { createSchedule } from '../contacts.ts';
import type { LabFixture } from '../lab-fixture.ts';
import { allAre, expectStatus, type Scene, startDevice, stopDevice } from '../scene.ts';
import { incident } from '../service-messages.ts';

const devices = [0, 1, 2, 5];
const names = devices.map((i) => `dev-${i}`);

/** Schedules of four devices that are Down, and what changes in them later. */
async function setUp(fixture: LabFixture): Promise<() => Promise<void>> {
  const { api } = fixture;
  const id = await addContacts(fixture, {
    old: 'webhook',
    'old-pd': 'pagerduty',
    replaced: 'webhook',
    'replaced-pd': 'pagerduty',
    first: 'webhook',
    second: 'slack',
    before: 'webhook',
    more: 'webhook',
    account: 'webhook',
  });
  const at = (DelayMinutes: number, ...contacts: readonly string[]) => ({
    DelayMinutes,
    Contacts: contacts.map(id),
  });
  const other = await createSchedule(api, 'another', [at(0, 'replaced', 'replaced-pd')]);
  const ofAccount = await createSchedule(api, 'of the account', [at(0, 'account')]);
  await api.ok('PUT', '/account', { nschedule_id: ofAccount });
  await giveSchedule(fixture, ['dev-0', 'dev-5'], [at(0, 'old', 'old-pd')]);
  const moved = await giveSchedule(fixture, ['dev-1'], [at(0, 'first'), at(5, 'second')]);
  const longer = await giveSchedule(fixture, ['dev-2'], [at(0, 'first')]);
  const give = (name: string, nschedule_id: string | null) =>
    api.ok('PUT', `/devices/${idOf(fixture, name)}`, { nschedule_id });
  return async () => {
    await give('dev-0', other);
    // The account's schedule replaces it.
    await give('dev-5', null);
    await api.ok('PUT', `/nschedules/${moved}`, {
      Steps: [at(0, 'before'), at(0, 'first'), at(5, 'second')],
    });
    await api.ok('PUT', `/nschedules/${longer}`, { Steps: [at(0, 'first', 'more')] });
    fixture.note('the schedules are changed');
  };
}

/** One sentence for each contact that has no message about its device within the time. */
async function expectEach(
  fixture: LabFixture,
  all: readonly (readonly [contact: string, about: string])[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [contact, about] of all) found.push(...(await expectMessages(fixture, { contact, about })));
  return found;
}

const readers = [
  ['old', 'dev-0'],
  ['replaced', 'dev-0'],
  ['old', 'dev-5'],
  ['account', 'dev-5'],
  ['first', 'dev-1'],
  ['second', 'dev-1'],
  ['before', 'dev-1'],
  ['first', 'dev-2'],
] as const;
const keepers = [
  ['old-pd', 'dev-0'],
  ['replaced-pd', 'dev-0'],
  ['old-pd', 'dev-5'],
] as const;

function expected() {
  return countsOf([
    ...readers.map(([contact, about]) => [[contact], 'device.down', about, 1] as const),
    ...readers.map(([contact, about]) => [[contact], 'device.up', about, 1] as const),
    ...keepers.map(([contact, about]) => [[contact], incident.opens, about, 1] as const),
    ...keepers.map(([contact, about]) => [[contact], incident.ends, about, 1] as const),
  ]);
}

/** The schedules of devices that are Down change. */
export const scheduleChanged: Scene = {
  shows:
    'the schedule of a device that is Down is replaced, gets a step before the others, or a contact more: everybody who is due is notified, nobody twice',
  fixture: { scale: 20, controllers: 1 },
  isPlainOnly: true,
  async play(fixture) {
    const change = await setUp(fixture);
    for (const i of devices) stopDevice(fixture, i);
    const differences = [
      ...(await expectStatus(fixture, allAre('Down', names))),
      ...(await expectEach(fixture, [
        ['old-pd', 'dev-0'],
        ['old-pd', 'dev-5'],
        ['first', 'dev-1'],
        ['first', 'dev-2'],
      ])),
    ];
    await change();
    differences.push(
      ...(await expectEach(fixture, [
        ['replaced', 'dev-0'],
        ['account', 'dev-5'],
        ['before', 'dev-1'],
      ])),
    );
    await minutes(fixture, 6);
    for (const i of devices) startDevice(fixture, i);
    differences.push(...(await expectStatus(fixture, allAre('Up', names))));
    await minutes(fixture, 2);
    return { messages: new Map(), others: expected(), differences };
  },
};
