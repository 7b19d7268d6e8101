import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { acknowledge, addContacts, countsOf, giveSchedule, idOf, messagesTo, minutes } from '../cast.ts';
import { killInTurn } from '../kill-in-turn.ts';
import { type LabFixture, until } from '../lab-fixture.ts';
import { type Expected, type Scene, startDevice, stopDevice } from '../scene.ts';
import { incident } from '../service-messages.ts';

const scale = 20;
/** Where controllers are killed, another one must take over before results count as late: 15 s at this scale. */
const killedScale = 4;
/** Long enough to be noticed and confirmed, and to be seen Up again, in minutes of the rules. */
const shortMinutes = 1.9;
const pauseMinutes = 1.6;
/** A device that flaps and is Down for two minutes is said to be Down; this much later than its fall at the most. */
const saidWithinMinutes = 2 + 1 + 2;
/** So much later where controllers are killed: another one takes over. */
const takeoverMinutes = 3;
const quietMinutes = 30;

const hookData = z.looseObject({
  data: z.looseObject({ Outages: z.number().optional(), Seconds: z.number().optional() }),
});

/** Outages of a device, minutes of the rules each, with a pause after each. */
async function outages(
  fixture: LabFixture,
  device: number,
  lengths: readonly number[],
  pause = pauseMinutes,
) {
  for (const length of lengths) {
    stopDevice(fixture, device);
    await minutes(fixture, length);
    startDevice(fixture, device);
    await minutes(fixture, pause);
  }
}

const three = [shortMinutes, shortMinutes, shortMinutes];
/** Contacts that are notified at once; the first three keep incidents. */
const incidents = ['pd', 'am', 'jsm'];
const people = ['chat', 'push', 'box'];
const programs = ['now'];
const late = ['late', 'late-pd', 'late-box'];

/** One sentence for each message about a fall that did not come within its time. */
function lateDifferences(fixture: LabFixture, device: number, fellMs: number): readonly string[] {
  const about = `dev-${device}`;
  const said = messagesTo(fixture, { contact: 'now', what: 'device.flapping', about }).find(
    ({ atMs }) => atMs > fellMs,
  );
  const maxMs = (saidWithinMinutes + (fixture.second === undefined ? 0 : takeoverMinutes)) * fixture.minuteMs;
  if (said !== undefined && said.atMs - fellMs <= maxMs) return [];
  const after = said === undefined ? 'never' : `after ${((said.atMs - fellMs) / 1000).toFixed(1)} s`;
  return [`${about}: "flapping, and Down" was said ${after}; ${maxMs / 1000} s are the most`];
}

/** The last Up of a flapping has the number of its outages and the total seconds down. */
function sumDifferences(
  fixture: LabFixture,
  contact: string,
  device: number,
  count: number,
): readonly string[] {
  const about = `dev-${device}`;
  const last = messagesTo(fixture, { contact, what: 'device.up', about }).at(-1);
  if (last === undefined) return [`${about}: ${contact} got no end`];
  const { Outages, Seconds = 0 } = hookData.parse(JSON.parse(last.text)).data;
  const { down } = fixture.truth.seconds(about, { fromMs: fixture.fromMs, toMs: last.atMs });
  // Where a controller is killed, an outage may be known from late results only, when it is over. A message does not
  // count it.
  const least = fixture.second === undefined ? count : count - 1;
  const most = count * (fixture.intervalMs / 1000 + 1.5);
  return [
    ...(Outages !== undefined && Outages <= count && Outages >= least
      ? []
      : [`${about}: the end says ${Outages} outages instead of ${count}`]),
    ...(Math.abs(Seconds - down) <= most
      ? []
      : [`${about}: the end says ${Seconds} s down, it was ${down} s`]),
  ];
}

/** Repeats a request that a killed controller did not answer. One that fails for long shows in the messages. */
async function patiently({ note }: LabFixture, request: () => Promise<unknown>): Promise<void> {
  const did = await until(async () => {
    await request();
    return true;
  }, 15_000);
  if (!did) note('a request was not done within 15 s');
}

/** Each history is of a device of its own; all run beside each other. */
async function histories(fixture: LabFixture): Promise<readonly string[]> {
  const falls = new Map<number, number>();
  const fall = async (device: number, length: number) => {
    falls.set(device, Date.now());
    await outages(fixture, device, [length], 0);
  };
  const plays = [
    // Three pairs, then Down for ten minutes.
    async () => {
      await outages(fixture, 0, three);
      await fall(0, 10);
    },
    () => outages(fixture, 1, three),
    () => outages(fixture, 2, three.slice(1)),
    // Only a step with a delay: eight outages, none as long as it, each confirmed for more than two minutes.
    () =>
      outages(
        fixture,
        3,
        Array.from({ length: 8 }, () => 3.3),
        1.5,
      ),
    // Both steps.
    () => outages(fixture, 5, three),
    // Three pairs, then Down for 35 minutes: an outage of its own again.
    async () => {
      await outages(fixture, 6, three);
      await fall(6, 35);
    },
    // Acknowledged while it flaps, then Down for ten minutes.
    async () => {
      await outages(fixture, 7, three);
      await patiently(fixture, () => acknowledge(fixture, 'dev-7'));
      await outages(fixture, 7, [10], 0);
    },
    // Paused while it flaps.
    async () => {
      await outages(fixture, 8, three);
      await patiently(fixture, () =>
        fixture.api.ok('PUT', `/devices/${idOf(fixture, 'dev-8')}`, { Enabled: false }),
      );
      fixture.truth.begin('dev-8', 'unknown', 'paused');
    },
  ];
  await Promise.all(
    plays.map(async (play, i) => {
      await delay(i * 700);
      await play();
    }),
  );
  fixture.note('all devices are Up');
  await minutes(fixture, quietMinutes + 2);
  return [...falls].flatMap(([device, fellMs]) => lateDifferences(fixture, device, fellMs));
}

/** How many messages of each kind a device causes; `closed`: its incidents end without an Up. */
interface Told {
  readonly down?: number;
  readonly flaps?: number;
  readonly up?: number;
  readonly closed?: number;
}

/** The messages to contacts for people and programs, and to those that keep incidents: one incident for each alert. */
function told(
  about: string,
  { down = 0, flaps = 0, up = 0, closed = 0 }: Told,
  to: { readonly readers: readonly string[]; readonly keepers: readonly string[] },
) {
  return [
    [to.readers, 'device.down', about, down],
    [to.readers, 'device.flapping', about, flaps],
    [to.readers, 'device.up', about, up],
    [to.keepers, incident.opens, about, down + flaps],
    [to.keepers, incident.ends, about, up + closed],
  ] as const;
}

/** The step comes due with the third outage. Of the five others, all within 30 minutes, only the first is said. */
const flapsOfEight = 2;

/**
 * How often the contacts of the delayed step must hear that dev-3 flaps. Where a controller dies, the next one may
 * learn of a Down too late for its two minutes, but each contact hears the same and of the begin.
 */
function flapsOf(fixture: LabFixture): number {
  if (fixture.second === undefined) return flapsOfEight;
  const heard = messagesTo(fixture, { contact: 'late', what: 'device.flapping', about: 'dev-3' });
  return Math.min(flapsOfEight, Math.max(1, new Set(heard.map(({ id }) => id)).size));
}

/** The expected messages, by the table "Flapping" of docs/alerts.md. */
function expected(flaps: number) {
  const everybody = { readers: [...programs, ...people], keepers: incidents };
  const first = { readers: programs, keepers: incidents };
  const second = { readers: ['late', 'late-box'], keepers: ['late-pd'] };
  return countsOf([
    // Down, Up, Down, Up, Down; then it flaps, and is Down; then one end.
    ...told('dev-0', { down: 3, flaps: 2, up: 3 }, everybody),
    ...told('dev-1', { down: 3, flaps: 1, up: 3 }, everybody),
    ...told('dev-2', { down: 2, up: 2 }, first),
    ...told('dev-3', { flaps, up: 1 }, second),
    ...told('dev-5', { down: 3, flaps: 1, up: 3 }, first),
    ...told('dev-5', { flaps: 1, up: 1 }, second),
    // After 30 minutes Down its steps begin anew.
    ...told('dev-6', { down: 4, flaps: 2, up: 3 }, first),
    // No contact hears of the fourth outage, because the problem is acknowledged.
    ...told('dev-7', { down: 3, flaps: 1, up: 3 }, first),
    [['pd', 'jsm'], incident.acknowledged, 'dev-7', 1],
    ...told('dev-8', { down: 3, flaps: 1, up: 2, closed: 1 }, first),
  ]);
}

/**
 * The agent of `local` knows only the controller that the supervisor starts again, so this Location may be offline for
 * the minute of the rules. It is said as often as it is, and each end of it, too.
 */
function awayOfLocal(fixture: LabFixture): ReadonlyMap<string, number> {
  if (fixture.second === undefined) return new Map();
  const heard = fixture.hooks.hooks.filter(
    ({ type, about }) => type === 'location.offline' && about === 'local',
  );
  const count = new Set(heard.map(({ id }) => id)).size;
  return new Map(count === 0 ? [] : ['offline', 'online'].map((what) => [`location.${what} local`, count]));
}

/** Contact, device, and how many Ups about it the contact gets. */
const ends = [
  ['now', 0, 3],
  ['now', 1, 3],
  ['now', 7, 3],
  ['late', 3, 1],
] as const;

function endsTo(fixture: LabFixture, contact: string, device: number): number {
  return messagesTo(fixture, { contact, what: 'device.up', about: `dev-${device}` }).length;
}

async function play(fixture: LabFixture): Promise<Expected> {
  const id = await addContacts(fixture, {
    now: 'webhook',
    pd: 'pagerduty',
    am: 'alertmanager',
    jsm: 'jsm',
    chat: 'slack',
    push: 'ntfy',
    box: 'email',
    late: 'webhook',
    'late-pd': 'pagerduty',
    'late-box': 'email',
  });
  const at = (DelayMinutes: number, names: readonly string[]) => ({ DelayMinutes, Contacts: names.map(id) });
  const first = [...programs, ...incidents];
  await giveSchedule(fixture, ['dev-0', 'dev-1'], [at(0, [...first, ...people])]);
  await giveSchedule(fixture, ['dev-2', 'dev-6', 'dev-7', 'dev-8'], [at(0, first)]);
  await giveSchedule(fixture, ['dev-3'], [at(5, late)]);
  await giveSchedule(fixture, ['dev-5'], [at(0, first), at(5, late)]);
  const ending = new AbortController();
  const killing = killInTurn(fixture, ending.signal);
  const differences = await histories(fixture);
  ending.abort();
  const kills = await killing;
  // Where a controller was killed last, the other one takes its messages over.
  await until(
    async () => ends.every(([contact, device, count]) => endsTo(fixture, contact, device) >= count),
    60_000,
  );
  await until(async () => (await fixture.api.call('GET', '/hello')).status === 200, 30_000);
  return {
    messages: awayOfLocal(fixture),
    others: expected(flapsOf(fixture)),
    released: new Set(['dev-8']),
    mayRepeat: kills > 0,
    facts: kills > 0 ? { 'controllers killed': kills } : {},
    statuses: new Map([['dev-8', 'Unknown']]),
    differences: [
      ...differences,
      ...sumDifferences(fixture, 'now', 0, 4),
      ...sumDifferences(fixture, 'now', 1, 3),
      ...sumDifferences(fixture, 'late', 3, 8),
      ...sumDifferences(fixture, 'now', 7, 4),
    ],
  };
}

/** Devices that flap, each in its own way. */
export const flapping: Scene = {
  shows:
    'devices flap, and end Up, Down, acknowledged or paused: one problem each, no end while they are Down, also where the step has a delay',
  fixture: { scale, controllers: 1 },
  isPlainOnly: true,
  limitSeconds: 400,
  play,
};

/** The same while controllers die. */
export const flappingKilled: Scene = {
  shows:
    'devices flap as in flapping, while one of two controllers after the other is killed: the same messages',
  fixture: { scale: killedScale, controllers: 2 },
  isPlainOnly: true,
  limitSeconds: 2_000,
  play,
};
