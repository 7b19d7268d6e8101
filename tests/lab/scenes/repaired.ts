import { z } from 'zod';
import { addContacts, countsOf, giveSchedule, messagesTo, minutes } from '../cast.ts';
import { type LabFixture, until } from '../lab-fixture.ts';
import { allAre, expectStatus, type Scene, startDevice, stopDevice } from '../scene.ts';

/**
 * Waiting messages must have left so soon after the repair; without a release the next attempt would come a minute
 * later.
 */
const releaseMs = 4000;
/** Longer than ten minutes of the rules, and between two attempts of the ladder (10 and 30 minutes). */
const brokenMinutes = 15;

const hookData = z.looseObject({ type: z.string(), data: z.looseObject({ ShortName: z.string() }) });

/** The repair of a receiver, and its contact. */
interface Repair {
  readonly contact: string;
  readonly repair: () => Promise<unknown>;
  /** The messages that must have arrived after it. */
  readonly count: number;
  /** The requests of it: one summary, or one for each event. */
  readonly requests: number;
}

async function repairAll(fixture: LabFixture, wanted: readonly Repair[]): Promise<readonly string[]> {
  const { note } = fixture;
  const all = wanted.map(async ({ contact, repair, count, requests }) => {
    await repair();
    const fromMs = Date.now();
    const did = await until(async () => messagesTo(fixture, { contact }).length >= count, 10_000);
    const tookMs = Math.max(0, ...messagesTo(fixture, { contact }).map(({ atMs }) => atMs - fromMs));
    note(`${contact}: ${messagesTo(fixture, { contact }).length} of ${count} after ${tookMs} ms`);
    const ids = new Set(messagesTo(fixture, { contact }).map(({ id }) => id));
    return [
      ...(did && tookMs <= releaseMs
        ? []
        : [`${contact}: what waited left after ${did ? `${tookMs} ms` : 'more than 10 s'}`]),
      ...(ids.size === requests ? [] : [`${contact}: ${ids.size} messages instead of ${requests}`]),
    ];
  });
  return (await Promise.all(all)).flat();
}

/** Messages about each device are in their order. */
function orderDifferences(fixture: LabFixture, contact: string): readonly string[] {
  const latest = new Map<string, string>();
  return messagesTo(fixture, { contact }).flatMap(({ text }) => {
    const { type, data } = hookData.parse(JSON.parse(text));
    const before = latest.get(data.ShortName);
    latest.set(data.ShortName, type);
    const isRight = type === 'device.down' ? before !== 'device.down' : before === 'device.down';
    return isRight ? [] : [`${contact}: ${type} ${data.ShortName} after ${before ?? 'nothing'}`];
  });
}

const broken = {
  tested: 'slack',
  edited: 'ntfy',
  accepting: 'slack',
  program: 'webhook',
  post: 'email',
  texts: 'sms',
} as const;
const contacts = Object.keys(broken);
const names = ['dev-0', 'dev-1', 'dev-2'];

/**
 * The expected messages of each receiver. Three devices wait for each: one message to people, one for each event to a
 * program.
 */
function repairs(fixture: LabFixture, id: (name: string) => string): readonly Repair[] {
  const { api, receivers, mail } = fixture;
  const people = { count: 3, requests: 1 };
  const test = (name: string) => async () => {
    receivers.answer(name, 200);
    return api.ok('POST', `/contacts/${id(name)}/test`);
  };
  return [
    { contact: 'tested', repair: test('tested'), ...people },
    { contact: 'texts', repair: test('texts'), ...people },
    { contact: 'program', repair: test('program'), count: 4, requests: 4 },
    {
      contact: 'edited',
      ...people,
      repair() {
        receivers.answer('edited', 200);
        return api.ok('PUT', `/contacts/${id('edited')}`, { Address: `${receivers.url('edited')}b-topic` });
      },
    },
    {
      contact: 'post',
      ...people,
      repair() {
        mail.answer('post@lab.example', undefined);
        return api.ok('POST', `/contacts/${id('post')}/test`);
      },
    },
    {
      contact: 'accepting',
      count: 4,
      requests: 2,
      // The next message is accepted, and what waits follows it.
      async repair() {
        receivers.answer('accepting', 200);
        stopDevice(fixture, 3);
        await until(async () => messagesTo(fixture, { contact: 'accepting' }).length > 0, 20_000);
      },
    },
  ];
}

function expected() {
  const people = contacts.filter((name) => name !== 'program');
  return countsOf([
    ...['dev-0', 'dev-1'].flatMap((name) => [
      [contacts, 'device.down', name, 1] as const,
      [contacts, 'device.up', name, 1] as const,
    ]),
    // People see the state in which it is: it came back long ago.
    [people, 'device.up', 'dev-2', 1],
    [['program'], 'device.down', 'dev-2', 1],
    [['program'], 'device.up', 'dev-2', 1],
    [['accepting'], 'device.down', 'dev-3', 1],
    [['accepting'], 'device.up', 'dev-3', 1],
  ]);
}

/** Receivers that are broken for 15 minutes, each repaired in another way. */
export const repaired: Scene = {
  shows:
    'receivers are broken for 15 minutes and repaired by a test, by an edit, or by themselves: what waits leaves at once, to people as one message with the latest state of each device',
  fixture: { scale: 20, controllers: 1 },
  isPlainOnly: true,
  async play(fixture) {
    const { receivers, mail, note } = fixture;
    const id = await addContacts(fixture, broken);
    for (const name of contacts) receivers.answer(name, 503);
    mail.answer('post@lab.example', '451 come back later');
    await giveSchedule(fixture, names, [{ DelayMinutes: 0, Contacts: contacts.map(id) }]);
    await giveSchedule(fixture, ['dev-3'], [{ DelayMinutes: 0, Contacts: [id('accepting')] }]);
    for (const i of [0, 1, 2]) stopDevice(fixture, i);
    const differences = [...(await expectStatus(fixture, allAre('Down', names)))];
    await minutes(fixture, 3);
    startDevice(fixture, 2);
    differences.push(...(await expectStatus(fixture, allAre('Up', ['dev-2']))));
    await minutes(fixture, brokenMinutes);
    note('the receivers are repaired');
    differences.push(...(await repairAll(fixture, repairs(fixture, id))));
    for (const i of [0, 1, 3]) startDevice(fixture, i);
    differences.push(...(await expectStatus(fixture, allAre('Up', [...names, 'dev-3']))));
    await minutes(fixture, 3);
    return {
      messages: new Map(),
      others: expected(),
      differences: [...differences, ...orderDifferences(fixture, 'program')],
    };
  },
};
