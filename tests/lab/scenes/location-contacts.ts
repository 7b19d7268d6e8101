import { z } from 'zod';
import { addContacts, countsOf, expectMessages, giveSchedule, minutes } from '../cast.ts';
import { createSchedule } from '../contacts.ts';
import { type Ground, until } from '../ground.ts';
import { addresses } from '../network.ts';
import { locationsOnline } from '../rest.ts';
import { allAre, everyName, expectStatus, type Scene } from '../scene.ts';
import { incident } from '../service-messages.ts';

const locations = z.array(z.object({ location_id: z.string(), Name: z.string() }));
const goneMs = 60_000;

async function locationId({ api }: Ground, name: string): Promise<string> {
  const all = locations.parse(await api.ok('GET', '/locations'));
  return all.find(({ Name }) => Name === name)?.location_id ?? '';
}

/** Devices that only this Location checks. */
const onlyAt = ({ devices }: Ground, name: string) =>
  devices.filter(({ locations: at }) => at.join() === name).map((device) => device.name);

/** The agent of a Location is killed, and started again when its Location is offline. */
async function absence(
  ground: Ground,
  name: 'A' | 'B',
  told: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const { api, agents, truth, note } = ground;
  const unchecked = onlyAt(ground, name);
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
    ...(await expectStatus(ground, allAre('Up', everyName))),
  ];
}

/** Schedules of devices that B checks, and one of A. The account has none. */
async function setUp(ground: Ground): Promise<void> {
  const { api } = ground;
  await api.ok('PUT', '/account', { nschedule_id: null });
  const id = await addContacts(ground, {
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
  await giveSchedule(ground, ['dev-3', 'dev-7'], [at(0, 'one', 'two')]);
  await giveSchedule(ground, ['dev-11'], [at(0, 'two', 'three'), at(5, 'late', 'one')]);
  // A and B check it.
  await giveSchedule(ground, ['dev-0'], [at(0, 'four')]);
  // Only A checks it, and A has a schedule of its own.
  await giveSchedule(ground, ['dev-2'], [at(0, 'other')]);
  const ofA = await createSchedule(api, 'of A', [at(0, 'own')]);
  await api.ok('PUT', `/locations/${await locationId(ground, 'A')}`, { nschedule_id: ofA });
}

const union = ['one', 'two', 'three', 'late'];

async function expectAll(
  ground: Ground,
  contacts: readonly string[],
  { what, about }: { readonly what: string; readonly about: string },
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const contact of contacts)
    found.push(...(await expectMessages(ground, { contact, what, about }, { mostMs: 30_000 })));
  return found;
}

/** B's gateway, an anchor, fails and is back. */
async function cutAnchor(ground: Ground): Promise<readonly string[]> {
  const { api, network, truth, note } = ground;
  const about = 'gateway-B';
  const Anchors = [{ Name: about, Target: addresses.gateway('B') }];
  await api.ok('PUT', `/locations/${await locationId(ground, 'B')}`, { Anchors });
  await minutes(ground, 5);
  network.cutGateway('b');
  for (const name of onlyAt(ground, 'B')) truth.begin(name, 'unknown', 'gateway');
  note("B's gateway is cut");
  const down = await expectAll(ground, union, { what: 'anchor.down', about });
  network.healGateway('b');
  for (const name of onlyAt(ground, 'B')) truth.end(name, 'unknown', 'gateway');
  return [...down, ...(await expectAll(ground, union, { what: 'anchor.up', about }))];
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

/** Nobody is named for the account, only for devices. */
export const locationContacts: Scene = {
  shows:
    "an account without a schedule: a dead agent and a dead anchor are told to the contacts of the devices' schedules, once each; a Location with a schedule of its own tells these only",
  ground: { scale: 20, controllers: 1 },
  isPlainOnly: true,
  limitSeconds: 300,
  async play(ground) {
    await setUp(ground);
    const tell = async (about: string, contacts: readonly string[]) =>
      expectAll(ground, contacts, { what: 'location.offline', about });
    const differences = [
      ...(await absence(ground, 'B', () => tell('B', union))),
      ...(await expectAll(ground, union, { what: 'location.online', about: 'B' })),
      ...(await absence(ground, 'A', () => tell('A', ['own']))),
      ...(await cutAnchor(ground)),
      ...(await expectStatus(ground, allAre('Up', everyName))),
    ];
    await minutes(ground, 2);
    return { messages: new Map(), others: expected(), differences };
  },
};
