import { z } from 'zod';
import {
  acknowledge,
  addContacts,
  countsOf,
  expectMessages,
  giveSchedule,
  idOf,
  messagesTo,
  minutes,
} from '../cast.ts';
import type { LabFixture } from '../lab-fixture.ts';
import { allAre, expectStatus, type Scene, startDevice, stopDevice } from '../scene.ts';
import { incident } from '../service-messages.ts';

const incidents = ['pd', 'am', 'jsm', 'ops'];
const people = ['chat', 'push', 'text', 'box'];
const all = ['now', ...incidents, ...people];
const devices = [0, 1, 2, 3, 5, 7, 8];
const names = devices.map((i) => `dev-${i}`);

/**
 * The text of the first message to an incident that ends without an Up. PagerDuty's events have no place for it.
 */
const notes: ReadonlyMap<string, RegExp> = new Map([
  ['dev-0', /paused/],
  ['dev-1', /deleted/],
  ['dev-2', /no notification schedule/],
  ['dev-5', /paused/],
  ['dev-7', /no notification schedule/],
]);
const withNotes = ['am', 'jsm', 'ops'];

function noteDifferences(fixture: LabFixture): readonly string[] {
  return [...notes].flatMap(([about, note]) =>
    withNotes.flatMap((contact) => {
      const [first] = messagesTo(fixture, { contact, what: incident.ends, about });
      if (first === undefined || note.test(first.text)) return [];
      return [`${contact}: the end of ${about} does not say why: ${first.text.slice(0, 300)}`];
    }),
  );
}

const hookData = z.looseObject({
  data: z.looseObject({ Since: z.string(), DownSince: z.string(), Seconds: z.number() }),
});

/** The content of every Up to people: since when the device is Up, since when it was Down, and for how long. */
function upDifferences(
  fixture: LabFixture,
  name: string,
  outage: { fromMs: number; toMs: number },
): readonly string[] {
  const maxMs = fixture.intervalMs + 3000;
  const found: string[] = [];
  const near = (contact: string, what: string, shown: number, trueMs: number) => {
    if (!(Math.abs(shown - trueMs) <= maxMs))
      found.push(
        `${contact}: ${what} of ${name} is ${((shown - trueMs) / 1000).toFixed(1)} s from the truth`,
      );
  };
  for (const { text, contact } of messagesTo(fixture, { contact: 'now', what: 'device.up', about: name })) {
    const { Since, DownSince, Seconds } = hookData.parse(JSON.parse(text)).data;
    near(contact, 'Since', Date.parse(Since), outage.toMs);
    near(contact, 'DownSince', Date.parse(DownSince), outage.fromMs);
    near(contact, 'Seconds', Seconds * 1000, outage.toMs - outage.fromMs);
  }
  for (const contact of people) {
    const [up] = messagesTo(fixture, { contact, what: 'device.up', about: name });
    const [, since = ''] = /Since: ([0-9T:+-]+)/.exec(up?.text ?? '') ?? [];
    const [, downSince = ''] = /Down since: ([0-9T:+-]+)/.exec(up?.text ?? '') ?? [];
    const [, downFor = ''] = /(?:Down for:?|was Down for) (\d+) s/.exec(up?.text ?? '') ?? [];
    // An SMS is short: how long it was Down is what counts.
    if (contact !== 'text') {
      near(contact, 'Since', Date.parse(since), outage.toMs);
      near(contact, 'Down since', Date.parse(downSince), outage.fromMs);
    }
    near(contact, 'Down for', Number(downFor || Number.NaN) * 1000, outage.toMs - outage.fromMs);
  }
  return found;
}

const paused = ['dev-0', 'dev-5', 'dev-8'];
/** Their incidents are closed while they are Down. */
const closing = ['dev-0', 'dev-1', 'dev-2', 'dev-5', 'dev-7'];

/** Gives each device its schedule. Resolves with the one of most. */
async function setUp(fixture: LabFixture): Promise<string> {
  // A zone whose clocks change, for `--at`.
  await fixture.api.ok('PUT', '/account', { nschedule_id: null, Timezone: 'Europe/Berlin' });
  const id = await addContacts(fixture, {
    now: 'webhook',
    pd: 'pagerduty',
    am: 'alertmanager',
    jsm: 'jsm',
    ops: 'opsgenie',
    chat: 'slack',
    push: 'ntfy',
    text: 'sms',
    box: 'email',
  });
  const programs = ['now', ...incidents].map(id);
  await giveSchedule(fixture, ['dev-3'], [{ DelayMinutes: 0, Contacts: all.map(id) }]);
  await giveSchedule(fixture, ['dev-8'], [{ DelayMinutes: 5, Contacts: programs }]);
  return giveSchedule(fixture, closing, [{ DelayMinutes: 0, Contacts: programs }]);
}

/** Pauses, deletes and takes schedules away, and waits until all incidents are closed; then one schedule is back. */
async function letGo(fixture: LabFixture, schedule: string): Promise<readonly string[]> {
  const { api, truth, note } = fixture;
  const put = (name: string, body: Record<string, unknown>) =>
    api.ok('PUT', `/devices/${idOf(fixture, name)}`, body);
  await acknowledge(fixture, 'dev-5');
  await minutes(fixture, 1);
  for (const name of paused) {
    await put(name, { Enabled: false });
    truth.begin(name, 'unknown', 'paused');
  }
  await api.ok('DELETE', `/devices/${idOf(fixture, 'dev-1')}`);
  await put('dev-2', { nschedule_id: null });
  await put('dev-7', { nschedule_id: null });
  note('paused, deleted and without a schedule');
  const differences: string[] = [];
  for (const about of closing)
    for (const contact of incidents)
      differences.push(...(await expectMessages(fixture, { contact, about, what: incident.ends })));
  await put('dev-7', { nschedule_id: schedule });
  return [
    ...differences,
    ...(await expectMessages(fixture, { contact: 'pd', about: 'dev-7' }, { count: 3 })),
  ];
}

function expected() {
  const readers = all.filter((name) => !incidents.includes(name));
  return countsOf([
    [readers, 'device.down', 'dev-3', 1],
    [readers, 'device.up', 'dev-3', 1],
    ...closing.map((name) => [['now'], 'device.down', name, 1] as const),
    ...[...closing, 'dev-3'].flatMap((name) => [
      [incidents, incident.opens, name, 1] as const,
      [incidents, incident.ends, name, 1] as const,
    ]),
    [['pd', 'jsm', 'ops'], incident.acknowledged, 'dev-5', 1],
    // Its schedule is back while it is still Down.
    [['now'], 'device.down', 'dev-7', 1],
    [['now'], 'device.up', 'dev-7', 1],
    [incidents, incident.opens, 'dev-7', 1],
    [incidents, incident.ends, 'dev-7', 1],
    // Up goes to everyone who was notified, also where the incident is closed already.
    [['now'], 'device.up', 'dev-2', 1],
    [incidents, incident.ends, 'dev-2', 1],
  ]);
}

/** Incidents elsewhere whose alert ends in each possible way. */
export const closedElsewhere: Scene = {
  shows:
    'devices are paused, deleted and lose their schedule while they are Down: incidents elsewhere are closed and say why; Up says since when and how long',
  fixture: { scale: 20, controllers: 1 },
  isPlainOnly: true,
  async play(fixture) {
    const schedule = await setUp(fixture);
    const fromMs = Date.now();
    for (const i of devices) stopDevice(fixture, i);
    const differences = [...(await expectStatus(fixture, allAre('Down', names)))];
    for (const about of [...closing, 'dev-3'])
      differences.push(...(await expectMessages(fixture, { contact: 'pd', about })));
    differences.push(...(await letGo(fixture, schedule)));
    await minutes(fixture, 2);
    for (const i of devices.filter((device) => device !== 1)) startDevice(fixture, i);
    const toMs = Date.now();
    differences.push(...(await expectStatus(fixture, allAre('Up', ['dev-2', 'dev-3', 'dev-7']))));
    await minutes(fixture, 2);
    return {
      messages: new Map(),
      others: expected(),
      released: new Set(notes.keys()),
      deleted: new Set(['dev-1']),
      statuses: allAre('Unknown', paused),
      differences: [
        ...differences,
        ...noteDifferences(fixture),
        ...upDifferences(fixture, 'dev-3', { fromMs, toMs }),
      ],
    };
  },
};
