import { addContacts, expectMessages, giveSchedule, idOf, messagesTo } from '../cast.ts';
import { type LabFixture, until } from '../lab-fixture.ts';
import { allAre, expectStatus, type Scene, startDevice, stopDevice } from '../scene.ts';

const devices = [0, 1, 4, 5, 8, 9, 12, 13, 16, 17];
/** They return before the minute of the group has ended. */
const returning = [0, 1, 4, 5, 8, 9];
const lasting = devices.filter((i) => !returning.includes(i));
const namesOf = (all: readonly number[]) => all.map((i) => `dev-${i}`);
const groupMs = 60_000;
const people = ['box', 'chat', 'push'];

/** A device whose settings changed is checked at once. */
async function checkNow(fixture: LabFixture, all: readonly number[], Frequency: number): Promise<void> {
  await Promise.all(
    namesOf(all).map((name) => fixture.api.ok('PUT', `/devices/${idOf(fixture, name)}`, { Frequency })),
  );
}

/**
 * The expected messages of the contact: five single messages, then one that names each other device and each that came
 * back, once.
 */
function expectedOf(fixture: LabFixture, contact: string): [string, number][] {
  const single = new Set(
    messagesTo(fixture, { contact, what: 'device.down' })
      .slice(0, 5)
      .map(({ about }) => about),
  );
  return namesOf(devices).flatMap((name): [string, number][] => {
    const isBack = namesOf(returning).includes(name);
    const isSaidDown = single.has(name) || !isBack;
    return [
      [`${contact} device.down ${name}`, isSaidDown ? 1 : 0],
      [`${contact} device.up ${name}`, 1],
    ];
  });
}

const knows = (fixture: LabFixture, contact: string) =>
  new Set(messagesTo(fixture, { contact }).map(({ about }) => about)).size;

/** Six of the devices return while the contacts wait for their group. */
async function returnEarly(fixture: LabFixture): Promise<readonly string[]> {
  const counts = () => people.map((contact) => messagesTo(fixture, { contact }).length);
  // Five leave singly; chats get them one by one.
  const did = await until(async () => counts().every((count) => count >= 5), 10_000);
  const early = counts();
  fixture.note(`${early.join(', ')} messages left before the group`);
  for (const i of returning) startDevice(fixture, i);
  await checkNow(fixture, returning, 1);
  const up = await expectStatus(fixture, allAre('Up', namesOf(returning)));
  const isBefore = counts().every((count, i) => count === early[i]);
  return [
    ...up,
    ...(did ? [] : [`${early.join(', ')} messages left singly`]),
    ...(isBefore ? [] : ['the devices were back only after the group had left']),
  ];
}

/** The lines of the latest message, and how many devices they name. */
function groupOf(fixture: LabFixture, contact: string) {
  const all = messagesTo(fixture, { contact });
  const last = all.filter(({ id }) => id === all.at(-1)?.id);
  return { contact, size: last.length, names: new Set(last.map(({ about }) => about)).size };
}

/** More devices fail than leave singly, and some return before the others are reported. */
export const groupedState: Scene = {
  shows:
    'ten devices fail, six return within the minute of the group: each stands in it once, with the state at its sending',
  fixture: { scale: 3, controllers: 1 },
  isPlainOnly: true,
  async play(fixture) {
    const id = await addContacts(fixture, { box: 'email', chat: 'slack', push: 'ntfy', all: 'webhook' });
    const names = namesOf(devices);
    await giveSchedule(fixture, names, [{ DelayMinutes: 0, Contacts: [...people, 'all'].map(id) }]);
    for (const i of devices) stopDevice(fixture, i);
    await checkNow(fixture, devices, 2);
    const differences = [...(await expectStatus(fixture, allAre('Down', names)))];
    const everything = { contact: 'all', what: 'device.down' };
    differences.push(...(await expectMessages(fixture, everything, { count: devices.length })));
    differences.push(...(await returnEarly(fixture)));
    const isTold = await until(
      async () => people.every((contact) => knows(fixture, contact) === devices.length),
      groupMs,
    );
    const expected = people.flatMap((contact) => expectedOf(fixture, contact));
    const groups = people.map((contact) => groupOf(fixture, contact));
    for (const i of lasting) startDevice(fixture, i);
    await checkNow(fixture, lasting, 5);
    differences.push(...(await expectStatus(fixture, allAre('Up', names))));
    const ups = (contact: string) => messagesTo(fixture, { contact, what: 'device.up' }).length;
    await until(async () => people.every((contact) => ups(contact) >= devices.length), groupMs);
    return {
      messages: new Map(),
      others: new Map([
        ...expected.filter(([, count]) => count > 0),
        ...names.map((name): [string, number] => [`all device.down ${name}`, 1]),
        ...names.map((name): [string, number] => [`all device.up ${name}`, 1]),
      ]),
      facts: Object.fromEntries(
        groups.map(({ contact, size }) => [`lines of the group to ${contact}`, size]),
      ),
      differences: [
        ...differences,
        ...(isTold ? [] : ['a contact does not know of each device']),
        ...groups
          .filter(({ size, names: distinct }) => size !== distinct)
          .map(({ contact, size, names: distinct }) => `${contact}: ${size} lines for ${distinct} devices`),
      ],
    };
  },
};
