import { z } from 'zod';
import {
  addContacts,
  countsOf,
  expectMessages,
  giveSchedule,
  messagesTo,
  minutes,
  openAlways,
} from '../cast.ts';
import { type Ground, until } from '../ground.ts';
import { allAre, type Expected, expectStatus, type Scene, startDevice, stopDevice } from '../scene.ts';

const failing = z.looseObject({
  data: z.looseObject({ Contact: z.string(), Severity: z.string(), Recovered: z.boolean().optional() }),
});

/** Half an hour of the rules, and what opening and telling may take. */
const toldMinutes = 35;

const toldOf = ({ hooks }: Ground, contact: string) =>
  hooks.hooks.filter(({ type, about }) => type === 'contact.failing' && about === contact);

async function expectTold(
  ground: Ground,
  contact: string,
  count: number,
  mostMs: number,
): Promise<readonly string[]> {
  const did = await until(async () => toldOf(ground, contact).length >= count, mostMs);
  ground.note(`contact.failing ${contact}: ${toldOf(ground, contact).length} of ${count}`);
  return did ? [] : [`contact.failing ${contact}: ${toldOf(ground, contact).length} of ${count}`];
}

/** Each message about a contact is a warning; the first says that it fails, the second that it works again. */
function severityDifferences(ground: Ground, contact: string): readonly string[] {
  return toldOf(ground, contact).flatMap(({ text }, i) => {
    const { Severity, Recovered = false } = failing.parse(JSON.parse(text)).data;
    return [
      ...(Severity === 'warning' ? [] : [`contact.failing ${contact} has severity ${Severity}`]),
      ...(Recovered === (i === 1) ? [] : [`message ${i + 1} about ${contact} has Recovered: ${Recovered}`]),
    ];
  });
}

/** The contacts of both scenes: `flaky` answers 500, `typo` refuses its mailbox, each with a device. */
async function breakContacts(ground: Ground) {
  const id = await addContacts(ground, { flaky: 'slack', gone: 'ntfy', typo: 'email' });
  ground.receivers.answer('flaky', 500);
  ground.receivers.answer('gone', 404);
  ground.mail.answer('typo@lab.example', '550 no such mailbox');
  const at = (name: string) => [{ DelayMinutes: 0, Contacts: [id(name)] }];
  await giveSchedule(ground, ['dev-0'], at('flaky'));
  await giveSchedule(ground, ['dev-1'], at('gone'));
  await giveSchedule(ground, ['dev-2'], at('typo'));
  return id;
}

async function play(ground: Ground): Promise<Expected> {
  const { api, contacts, receivers, mail } = ground;
  await openAlways(ground);
  const id = await breakContacts(ground);
  // It stands in the account's schedule too, and is never told of itself.
  const Days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
  const Contacts = [contacts.hook, contacts.mail, id('flaky')];
  await api.ok('PUT', `/nschedules/${contacts.schedule}`, { Steps: [{ DelayMinutes: 0, Contacts, Days }] });
  const names = ['dev-0', 'dev-1', 'dev-2'];
  for (const i of [0, 1, 2]) stopDevice(ground, i);
  const differences = [...(await expectStatus(ground, allAre('Down', names)))];
  const fromMs = Date.now();
  differences.push(...(await expectTold(ground, 'gone', 1, 15_000)));
  await minutes(ground, 20);
  if (toldOf(ground, 'flaky').length > 0)
    differences.push('flaky is told of before it failed for 30 minutes');
  differences.push(...(await expectTold(ground, 'flaky', 1, toldMinutes * ground.minuteMs)));
  differences.push(...(await expectTold(ground, 'typo', 1, toldMinutes * ground.minuteMs)));
  const tookS = (Date.now() - fromMs) / 1000;
  // It works again; nobody tells it so but a test message.
  receivers.answer('flaky', 200);
  receivers.answer('gone', 200);
  mail.answer('typo@lab.example', undefined);
  for (const name of ['flaky', 'gone', 'typo']) await api.ok('POST', `/contacts/${id(name)}/test`);
  for (const name of ['flaky', 'gone', 'typo'])
    differences.push(...(await expectTold(ground, name, 2, 15_000)));
  differences.push(...(await expectMessages(ground, { contact: 'flaky', about: 'dev-0' })));
  for (const i of [0, 1, 2]) startDevice(ground, i);
  differences.push(...(await expectStatus(ground, allAre('Up', names))));
  await minutes(ground, 3);
  const all = ['flaky', 'gone', 'typo'];
  return {
    messages: new Map(all.map((name) => [`contact.failing ${name}`, 2])),
    mails: new Map(
      all.flatMap((name) => [
        [`contact.failing ${name}`, 1],
        [`contact.recovered ${name}`, 1],
      ]),
    ),
    others: countsOf([
      [['flaky'], 'device.down', 'dev-0', 1],
      [['flaky'], 'device.up', 'dev-0', 1],
      // The Down messages of dev-1 and dev-2 were refused for good; the Up messages are not.
      [['gone'], 'device.up', 'dev-1', 1],
      [['typo'], 'device.up', 'dev-2', 1],
      // `flaky` hears of the others as each contact of the account's schedule does, once it works.
      ...['gone', 'typo'].flatMap((name) => [
        [['flaky'], 'contact.failing', name, 1] as const,
        [['flaky'], 'contact.recovered', name, 1] as const,
      ]),
    ]),
    facts: { 'seconds until 30 minutes of failures were told': tookS.toFixed(1) },
    differences: [...differences, ...all.flatMap((name) => severityDifferences(ground, name))],
  };
}

/** Contacts that cannot be reached, at any hour. */
export const failingContact: Scene = {
  shows:
    'contacts cannot be reached: after 30 minutes, or at once where they refuse for good, one warning to the schedule of the account, and one when they work again',
  ground: { scale: 20, controllers: 1 },
  isPlainOnly: true,
  limitSeconds: 300,
  play,
};

/** The morning at which the office opens, a Monday. */
const opens = '2027-03-08T08:00:00Z';
/** The installation starts this long before it. */
const leadSeconds = 75;
const maxLateMs = 5000;

/** The same on a Monday before 08:00. */
export const failingContactNight: Scene = {
  shows:
    'a contact refuses for good at 07:59 on a Monday: its warning waits for 08:00, the outage itself does not',
  ground: { scale: 20, controllers: 1 },
  isPlainOnly: true,
  startsAt: new Date(Date.parse(opens) - leadSeconds * 1000).toISOString(),
  async play(ground) {
    const opensMs = Date.parse(opens);
    await ground.api.ok('PUT', '/account', { Timezone: 'UTC' });
    await breakContacts(ground);
    const id = await addContacts(ground, { awake: 'webhook' });
    await giveSchedule(ground, ['dev-3'], [{ DelayMinutes: 0, Contacts: [id('awake')] }]);
    stopDevice(ground, 1);
    stopDevice(ground, 3);
    const differences = [...(await expectStatus(ground, allAre('Down', ['dev-1', 'dev-3'])))];
    differences.push(...(await expectMessages(ground, { contact: 'awake', about: 'dev-3' })));
    const isEarly = Date.now() < opensMs - 5000;
    await until(async () => Date.now() >= opensMs + maxLateMs, leadSeconds * 1000);
    const wrong = toldOf(ground, 'gone').filter(({ atMs }) => atMs < opensMs || atMs > opensMs + maxLateMs);
    startDevice(ground, 1);
    startDevice(ground, 3);
    differences.push(...(await expectStatus(ground, allAre('Up', ['dev-1', 'dev-3']))));
    return {
      messages: new Map([['contact.failing gone', 1]]),
      others: countsOf([
        [['awake'], 'device.down', 'dev-3', 1],
        [['awake'], 'device.up', 'dev-3', 1],
      ]),
      differences: [
        ...differences,
        ...(isEarly ? [] : ['the contact failed only after the office had opened']),
        ...wrong.map(({ atMs }) => `the warning came at ${new Date(atMs).toISOString()}`),
        ...(messagesTo(ground, { contact: 'gone' }).length === 0
          ? []
          : ['a contact that refuses got something']),
      ],
    };
  },
};
