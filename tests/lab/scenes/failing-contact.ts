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
import { type LabFixture, until } from '../lab-fixture.ts';
import { allAre, type Expected, expectStatus, type Scene, startDevice, stopDevice } from '../scene.ts';

const failing = z.looseObject({
  data: z.looseObject({ Contact: z.string(), Severity: z.string(), Recovered: z.boolean().optional() }),
});

/** Half an hour of the rules, and what opening and telling may take. */
const toldMinutes = 35;

const toldOf = ({ hooks }: LabFixture, contact: string) =>
  hooks.hooks.filter(({ type, about }) => type === 'contact.failing' && about === contact);

async function expectTold(
  fixture: LabFixture,
  contact: string,
  count: number,
  maxMs: number,
): Promise<readonly string[]> {
  const did = await until(async () => toldOf(fixture, contact).length >= count, maxMs);
  fixture.note(`contact.failing ${contact}: ${toldOf(fixture, contact).length} of ${count}`);
  return did ? [] : [`contact.failing ${contact}: ${toldOf(fixture, contact).length} of ${count}`];
}

/** Each message about a contact is a warning; the first says that it fails, the second that it works again. */
function severityDifferences(fixture: LabFixture, contact: string): readonly string[] {
  return toldOf(fixture, contact).flatMap(({ text }, i) => {
    const { Severity, Recovered = false } = failing.parse(JSON.parse(text)).data;
    return [
      ...(Severity === 'warning' ? [] : [`contact.failing ${contact} has severity ${Severity}`]),
      ...(Recovered === (i === 1) ? [] : [`message ${i + 1} about ${contact} has Recovered: ${Recovered}`]),
    ];
  });
}

/** The contacts of both scenes: `flaky` answers 500, `typo` refuses its mailbox, each with a device. */
async function breakContacts(fixture: LabFixture) {
  const id = await addContacts(fixture, { flaky: 'slack', gone: 'ntfy', typo: 'email' });
  fixture.receivers.answer('flaky', 500);
  fixture.receivers.answer('gone', 404);
  fixture.mail.answer('typo@lab.example', '550 no such mailbox');
  const at = (name: string) => [{ DelayMinutes: 0, Contacts: [id(name)] }];
  await giveSchedule(fixture, ['dev-0'], at('flaky'));
  await giveSchedule(fixture, ['dev-1'], at('gone'));
  await giveSchedule(fixture, ['dev-2'], at('typo'));
  return id;
}

async function play(fixture: LabFixture): Promise<Expected> {
  const { api, contacts, receivers, mail } = fixture;
  await openAlways(fixture);
  const id = await breakContacts(fixture);
  // It is in the account's schedule too, and never gets a message about itself.
  const Days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
  const Contacts = [contacts.hook, contacts.mail, id('flaky')];
  await api.ok('PUT', `/nschedules/${contacts.schedule}`, { Steps: [{ DelayMinutes: 0, Contacts, Days }] });
  const names = ['dev-0', 'dev-1', 'dev-2'];
  for (const i of [0, 1, 2]) stopDevice(fixture, i);
  const differences = [...(await expectStatus(fixture, allAre('Down', names)))];
  const fromMs = Date.now();
  differences.push(...(await expectTold(fixture, 'gone', 1, 15_000)));
  await minutes(fixture, 20);
  if (toldOf(fixture, 'flaky').length > 0)
    differences.push('flaky is reported before it failed for 30 minutes');
  differences.push(...(await expectTold(fixture, 'flaky', 1, toldMinutes * fixture.minuteMs)));
  differences.push(...(await expectTold(fixture, 'typo', 1, toldMinutes * fixture.minuteMs)));
  const tookS = (Date.now() - fromMs) / 1000;
  // It works again; only a test message shows that.
  receivers.answer('flaky', 200);
  receivers.answer('gone', 200);
  mail.answer('typo@lab.example', undefined);
  for (const name of ['flaky', 'gone', 'typo']) await api.ok('POST', `/contacts/${id(name)}/test`);
  for (const name of ['flaky', 'gone', 'typo'])
    differences.push(...(await expectTold(fixture, name, 2, 15_000)));
  differences.push(...(await expectMessages(fixture, { contact: 'flaky', about: 'dev-0' })));
  for (const i of [0, 1, 2]) startDevice(fixture, i);
  differences.push(...(await expectStatus(fixture, allAre('Up', names))));
  await minutes(fixture, 3);
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
    facts: { 'seconds until 30 minutes of failures were reported': tookS.toFixed(1) },
    differences: [...differences, ...all.flatMap((name) => severityDifferences(fixture, name))],
  };
}

/** Contacts that cannot be reached, at any hour. */
export const failingContact: Scene = {
  shows:
    'contacts cannot be reached: after 30 minutes, or at once where they refuse for good, one warning to the schedule of the account, and one when they work again',
  fixture: { scale: 20, controllers: 1 },
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
  fixture: { scale: 20, controllers: 1 },
  isPlainOnly: true,
  startsAt: new Date(Date.parse(opens) - leadSeconds * 1000).toISOString(),
  async play(fixture) {
    const opensMs = Date.parse(opens);
    await fixture.api.ok('PUT', '/account', { Timezone: 'UTC' });
    await breakContacts(fixture);
    const id = await addContacts(fixture, { awake: 'webhook' });
    await giveSchedule(fixture, ['dev-3'], [{ DelayMinutes: 0, Contacts: [id('awake')] }]);
    stopDevice(fixture, 1);
    stopDevice(fixture, 3);
    const differences = [...(await expectStatus(fixture, allAre('Down', ['dev-1', 'dev-3'])))];
    differences.push(...(await expectMessages(fixture, { contact: 'awake', about: 'dev-3' })));
    const isEarly = Date.now() < opensMs - 5000;
    await until(async () => Date.now() >= opensMs + maxLateMs, leadSeconds * 1000);
    const wrong = toldOf(fixture, 'gone').filter(({ atMs }) => atMs < opensMs || atMs > opensMs + maxLateMs);
    startDevice(fixture, 1);
    startDevice(fixture, 3);
    differences.push(...(await expectStatus(fixture, allAre('Up', ['dev-1', 'dev-3']))));
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
        ...(messagesTo(fixture, { contact: 'gone' }).length === 0
          ? []
          : ['a contact that refuses got something']),
      ],
    };
  },
};
