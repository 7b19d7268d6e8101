import { z } from 'zod';
import { addContacts, countsOf, expectMessages, giveSchedule, minutes } from '../cast.ts';
import { createSchedule } from '../contacts.ts';
import { type LabFixture, until } from '../lab-fixture.ts';
import { addresses } from '../network.ts';
import { locationsOnline } from '../rest.ts';
import { allAre, everyName, expectStatus, type Scene } from '../scene.ts';
import { incident } from '../service-messages.ts';

const locations = z.array(z.object({ location_id: z.string(), Name: z.string() }));
const goneMs = 60_000;

async function locationId({ api }: LabFixture, name: string): Promise<string> {
  const all = locations.parse(await api.ok('GET', '/locations'));
  return all.find(({ Name }) => Name === name)?.location_id ?? '';
}

/** Devices that only this Location checks. */
const onlyAt = ({ devices }: LabFixture, name: string) =>
  devices.filter(({ locations: at }) => at.join() === name).map((device) => device.name);

/** The agent of a Location is killed, and started again when its Location is offline. */
async function absence(
  fixture: LabFixture,
  name: 'A' | 'B',
  told: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const { api, agents, truth, note } = fixture;
  const unchecked = onlyAt(fixture, name);
  await agents[name].kill();
  for (const device of unchecked) truth.begin(device, 'unknown', name);
  note(`the agent of ${name} is killed`);
  const isGone = await until(async () => (await locationsOnline(api)).get(name) === false, goneMs);
  const missing = await told();
  agents[name].start();
  for (const device of unchecked) truth.end(device, 'unknown', name);
  const isBack = await until(async () => (await locationsOnline(api)).get(name) === true, goneMs);
  return [
    ...missing,
    ...(isGone ? [] : [`${name} did not become offline`]),
    ...(isBack ? [] : [`${name} did not become online again`]),
    ...(await expectStatus(fixture, allAre('Up', everyName))),
  ];
}

/** Schedules of devices that B checks, and one of A. The account has none. */
async function setUp(fixture: LabFixture): Promise<void> {
  const { api } = fixture;
  await api.ok('PUT', '/account', { nschedule_id: null });
  const id = await addContacts(fixture, {
    one: 'webhook',
    two: 'slack',
    three: 'email',
    four: 'pagerduty',
    late: 'ntfy',
    own: 'webhook',
    other: 'webhook',
  });
  const at = (DelayMinutes: number, ...contacts: readonly string[]) => ({
    DelayMinutes,
    Contacts: contacts.map(id),
  });
  await giveSchedule(fixture, ['dev-3', 'dev-7'], [at(0, 'one', 'two')]);
  await giveSchedule(fixture, ['dev-11'], [at(0, 'two', 'three'), at(5, 'late', 'one')]);
  // A and B check it.
  await giveSchedule(fixture, ['dev-0'], [at(0, 'four')]);
  // Only A checks it, and A has a schedule of its own.
  await giveSchedule(fixture, ['dev-2'], [at(0, 'other')]);
  const ofA = await createSchedule(api, 'of A', [at(0, 'own')]);
  await api.ok('PUT', `/locations/${await locationId(fixture, 'A')}`, { nschedule_id: ofA });
}

const union = ['one', 'two', 'three', 'late'];

async function expectAll(
  fixture: LabFixture,
  contacts: readonly string[],
  { what, about }: { readonly what: string; readonly about: string },
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const contact of contacts)
    found.push(...(await expectMessages(fixture, { contact, what, about }, { maxMs: 30_000 })));
  return found;
}

/** B's gateway, an anchor, fails and is back. */
async function cutAnchor(fixture: LabFixture): Promise<readonly string[]> {
  const { api, network, truth, note } = fixture;
  const about = 'gateway-B';
  const Anchors = [{ Name: about, Target: addresses.gateway('B') }];
  await api.ok('PUT', `/locations/${await locationId(fixture, 'B')}`, { Anchors });
  await minutes(fixture, 5);
  network.cutGateway('b');
  for (const name of onlyAt(fixture, 'B')) truth.begin(name, 'unknown', 'gateway');
  note("B's gateway is cut");
  const down = await expectAll(fixture, union, { what: 'anchor.down', about });
  network.healGateway('b');
  for (const name of onlyAt(fixture, 'B')) truth.end(name, 'unknown', 'gateway');
  return [...down, ...(await expectAll(fixture, union, { what: 'anchor.up', about }))];
}

/** `one` and `two` are in several steps; each contact gets one message. */
function expected() {
  return countsOf([
    [union, 'location.offline', 'B', 1],
    [union, 'location.online', 'B', 1],
    [union, 'anchor.down', 'gateway-B', 1],
    [union, 'anchor.up', 'gateway-B', 1],
    [['four'], incident.opens, 'B', 1],
    [['four'], incident.ends, 'B', 1],
    [['four'], incident.opens, 'gateway-B', 1],
    [['four'], incident.ends, 'gateway-B', 1],
    [['own'], 'location.offline', 'A', 1],
    [['own'], 'location.online', 'A', 1],
  ]);
}

/** The account has no contacts, only devices have. */
export const locationContacts: Scene = {
  shows:
    "an account without a schedule: a dead agent and a dead anchor are told to the contacts of the devices' schedules, once each; a Location with a schedule of its own tells these only",
  fixture: { scale: 20, controllers: 1 },
  isPlainOnly: true,
  limitSeconds: 300,
  async play(fixture) {
    await setUp(fixture);
    const tell = async (about: string, contacts: readonly string[]) =>
      expectAll(fixture, contacts, { what: 'location.offline', about });
    const differences = [
      ...(await absence(fixture, 'B', () => tell('B', union))),
      ...(await expectAll(fixture, union, { what: 'location.online', about: 'B' })),
      ...(await absence(fixture, 'A', () => tell('A', ['own']))),
      ...(await cutAnchor(fixture)),
      ...(await expectStatus(fixture, allAre('Up', everyName))),
    ];
    await minutes(fixture, 2);
    return { messages: new Map(), others: expected(), differences };
  },
};
