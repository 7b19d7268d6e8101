import { z } from 'zod';
import {
  addContacts,
  countsOf,
  expectMessages,
  giveSchedule,
  idOf,
  messagesTo,
  minutes,
  openAlways,
} from '../cast.ts';
import type { LabFixture } from '../lab-fixture.ts';
import { eventTypes } from '../rest.ts';
import { allAre, expectStatus, type Scene, startDevice, stopDevice } from '../scene.ts';

/** Statuses by which each service says that it never accepts this message, by docs/contacts.md. */
const refusals = { hook410: 410, chat404: 404, push403: 403, sms401: 401, pd400: 400, last410: 410 };
/** The time for which a mailbox that refuses is tried, minutes. */
const triedMinutes = 30;
const devices = [0, 1, 2, 3, 5, 6, 7, 8];
const names = devices.map((i) => `dev-${i}`);

/** Contacts that get the messages of others. */
const told = ['good', 'closed', 'after', 'chain'];

const undelivered = z.looseObject({
  data: z.looseObject({
    Undelivered: z.array(z.object({ Contact: z.string(), Reason: z.string() })).optional(),
  }),
});
const alert = z.object({ ShortName: z.string().nullable(), Reason: z.string().nullable() });

/** Each message that replaces a refused one names who refused it. */
function nameDifferences(
  fixture: LabFixture,
  contact: string,
  wanted: { readonly about: string; readonly what: string; readonly by: string },
): readonly string[] {
  const { about, what, by } = wanted;
  const [message] = messagesTo(fixture, { contact, about, what });
  if (message === undefined) return [];
  const named = undelivered.parse(JSON.parse(message.text)).data.Undelivered ?? [];
  return named.some(({ Contact, Reason }) => Contact === by && Reason !== '')
    ? []
    : [`${contact}: ${what} ${about} does not name ${by}: ${JSON.stringify(named)}`];
}

/** Creates the contacts, and gives each device a schedule with others that are left, or none. */
async function setUp(fixture: LabFixture): Promise<void> {
  const { receivers, mail } = fixture;
  await openAlways(fixture);
  const id = await addContacts(fixture, {
    hook410: 'webhook',
    chat404: 'slack',
    push403: 'ntfy',
    sms401: 'sms',
    pd400: 'pagerduty',
    last410: 'webhook',
    box550: 'email',
    moody: 'email',
    turned: 'slack',
    ...Object.fromEntries([...told, 'ends', 'step'].map((name) => [name, 'webhook'] as const)),
  });
  for (const [name, status] of Object.entries(refusals)) receivers.answer(name, status);
  mail.answer('box550@lab.example', '550 no such mailbox');
  mail.answer('moody@lab.example', '550 policy: try later');
  const at = (...contacts: readonly string[]) => ({ DelayMinutes: 0, Contacts: contacts.map(id) });
  /** A step that comes due long after the scene. */
  const never = (contact: string) => ({ DelayMinutes: 600, Contacts: [id(contact)] });
  // Another contact of the same step knows already.
  await giveSchedule(fixture, ['dev-0'], [at('hook410', 'good')]);
  // The step has no other contact; the contacts of the other steps remain.
  await giveSchedule(fixture, ['dev-1'], [at('chat404'), never('closed')]);
  await giveSchedule(fixture, ['dev-2'], [at('push403', 'sms401', 'pd400')]);
  await giveSchedule(fixture, ['dev-3'], [at('box550'), never('after')]);
  await giveSchedule(fixture, ['dev-5'], [at('chat404'), never('last410'), never('chain')]);
  await giveSchedule(fixture, ['dev-6'], [at('moody'), never('step')]);
  await giveSchedule(fixture, ['dev-7'], [at('turned'), never('ends')]);
  await giveSchedule(fixture, ['dev-8'], [at('turned')]);
}

/** The alert about dev-2 and its events name it as undeliverable. */
async function nobodyDifferences(fixture: LabFixture): Promise<readonly string[]> {
  const { api } = fixture;
  const all = z.array(alert).parse(await api.ok('GET', '/alerts?State=Open&Limit=100'));
  const reason = all.find(({ ShortName }) => ShortName === 'dev-2')?.Reason ?? '';
  const failed = (await eventTypes(api, idOf(fixture, 'dev-2'))).filter((type) => type === 'AlertFailed');
  return [
    ...(/^No contact could be notified: .*(push403|sms401|pd400)/.test(reason)
      ? []
      : [`dev-2: no contact is named as undeliverable, Reason is "${reason}"`]),
    ...(failed.length === 3 ? [] : [`dev-2 has ${failed.length} events AlertFailed instead of 3`]),
  ];
}

/** While the devices are Down: who gets their messages, and when. */
async function refusedDowns(fixture: LabFixture): Promise<readonly string[]> {
  const { receivers, mail, note, minuteMs } = fixture;
  const differences: string[] = [];
  const expectOne = async (contact: string, about: string, maxMs = 15_000) =>
    differences.push(...(await expectMessages(fixture, { contact, about }, { maxMs })));
  await expectOne('good', 'dev-0');
  await expectOne('closed', 'dev-1');
  await expectOne('chain', 'dev-5');
  await expectOne('turned', 'dev-7');
  await expectOne('turned', 'dev-8');
  receivers.answer('turned', 410);
  await minutes(fixture, 8);
  mail.answer('moody@lab.example', undefined);
  note('moody accepts mail again, turned refuses from now on');
  if (messagesTo(fixture, { contact: 'after', about: 'dev-3' }).length > 0)
    differences.push('the mailbox that refuses was given up before its 30 minutes');
  await expectOne('moody', 'dev-6', (triedMinutes + 1) * minuteMs);
  await expectOne('after', 'dev-3', (triedMinutes + 2) * minuteMs);
  return [...differences, ...(await nobodyDifferences(fixture))];
}

const down = 'device.down';
const up = 'device.up';

function expected() {
  const pairs = [
    ['good', 'dev-0'],
    ['closed', 'dev-1'],
    ['after', 'dev-3'],
    ['chain', 'dev-5'],
    ['moody', 'dev-6'],
  ] as const;
  return countsOf([
    ...pairs.flatMap(([contact, about]) => [
      [[contact], down, about, 1] as const,
      [[contact], up, about, 1] as const,
    ]),
    [['turned'], down, 'dev-7', 1],
    [['turned'], down, 'dev-8', 1],
    [['ends'], up, 'dev-7', 1],
  ]);
}

/** Contacts that refuse messages for good, each with others that are left, or none. */
export const refused: Scene = {
  shows:
    'contacts refuse for good (410, 404, 403, 401, 400, SMTP 550): others get each message and the name of who did not, or the alert says that nobody could be notified',
  fixture: { scale: 20, controllers: 1 },
  isPlainOnly: true,
  limitSeconds: 300,
  async play(fixture) {
    await setUp(fixture);
    for (const i of devices) stopDevice(fixture, i);
    const differences = [...(await expectStatus(fixture, allAre('Down', names)))];
    differences.push(...(await refusedDowns(fixture)));
    for (const i of devices) startDevice(fixture, i);
    differences.push(...(await expectStatus(fixture, allAre('Up', names))));
    differences.push(...(await expectMessages(fixture, { contact: 'ends', about: 'dev-7' })));
    await minutes(fixture, triedMinutes + 2);
    const failing = [...Object.keys(refusals), 'box550', 'turned'];
    return {
      messages: new Map(failing.map((name) => [`contact.failing ${name}`, 1])),
      others: expected(),
      differences: [
        ...differences,
        ...nameDifferences(fixture, 'closed', { about: 'dev-1', what: down, by: 'chat404' }),
        ...nameDifferences(fixture, 'after', { about: 'dev-3', what: down, by: 'box550' }),
        ...nameDifferences(fixture, 'chain', { about: 'dev-5', what: down, by: 'chat404' }),
        ...nameDifferences(fixture, 'ends', { about: 'dev-7', what: up, by: 'turned' }),
      ],
    };
  },
};
