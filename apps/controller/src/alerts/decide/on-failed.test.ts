import { newId } from '@vantage/kernel';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { second, startUs } from '../../results/status/testing/scenario.ts';
import { decideContacts } from './failing-contacts.ts';
import { createAlertFixture } from './testing/alert-fixture.ts';

let fixture: Awaited<ReturnType<typeof createAlertFixture>>;
let place: { locationNo: number; agentNo: number };

beforeAll(async () => {
  fixture = await createAlertFixture();
  place = await fixture.location('Oslo');
});
afterAll(() => fixture[Symbol.asyncDispose]());

/**
 * Contacts of these names in the steps of a schedule that the account has from now on; their numbers and ids by name.
 */
async function schedule(...steps: readonly (readonly string[])[]) {
  const { kysely, accountNo } = fixture;
  const ids = new Map<string, { no: number; id: string }>();
  for (const name of new Set(steps.flat())) {
    const { contact_no, contact_id } = await kysely
      .insertInto('contacts')
      .values({
        contact_id: newId(),
        account_no: accountNo,
        name,
        type: 'email',
        address: 'a@example.org',
        sealed: Buffer.alloc(1),
      })
      .returning(['contact_no', 'contact_id'])
      .executeTakeFirstOrThrow();
    ids.set(name, { no: contact_no, id: contact_id });
  }
  const stored = steps.map((names, place) => ({
    DelayMinutes: place * 60,
    Contacts: names.map((name) => ids.get(name)?.id),
  }));
  const { nschedule_no } = await kysely
    .insertInto('nschedules')
    .values({
      nschedule_id: newId(),
      account_no: accountNo,
      name: newId(),
      steps: JSON.stringify(stored),
    })
    .returning('nschedule_no')
    .executeTakeFirstOrThrow();
  await kysely.updateTable('accounts').set({ nschedule_no }).where('account_no', '=', accountNo).execute();
  return (name: string) => ids.get(name)?.no ?? 0;
}

/** Ends the messages of a contact that wait, as its server refused them at this second. */
async function refuse(contactNo: number, at: number) {
  const { kysely, accountNo } = fixture;
  const rows = await kysely
    .updateTable('notifications')
    .set({ state: 'Failed' })
    .where('contact_no', '=', contactNo)
    .where('state', '=', 'Pending')
    .returning(['notification_no', 'alert_no'])
    .execute();
  for (const [alertNo, of] of Map.groupBy(rows, (row) => row.alert_no))
    await kysely.transaction().execute((trx) =>
      fixture.onFailed(trx, {
        accountNo,
        alertNo,
        contactNo,
        reason: '410 Gone',
        nowUs: startUs + at * second,
        notificationNos: of.map((row) => row.notification_no),
      }),
    );
}

async function received(contactNo: number) {
  const rows = await fixture.kysely
    .selectFrom('notifications')
    .select(['kind', 'state', 'data'])
    .where('contact_no', '=', contactNo)
    .orderBy('notification_no')
    .execute();
  return rows.map(({ kind, state, data }) => ({
    kind,
    state,
    undelivered: JSON.parse(JSON.stringify(data)).Undelivered,
  }));
}

async function down(device: number, at: number) {
  for (const attempt of [0, 1, 2])
    await fixture.take([{ device, agent: place.agentNo, at: at + attempt, code: 3, attempt }]);
}

test('a Down message that its contact refuses goes to the step, then to the schedule, and the Up follows it', async () => {
  const no = await schedule(['first', 'second'], ['third']);
  const device = await fixture.device([place]);
  await fixture.take([{ device, agent: place.agentNo, at: 10, code: 1 }]);
  await down(device, 100);
  await fixture.decide(110);
  expect(await received(no('third'))).toEqual([]);
  await refuse(no('first'), 120);
  // The second contact has the message already.
  expect(await received(no('second'))).toMatchObject([{ kind: 'device.down', state: 'Pending' }]);
  expect(await received(no('third'))).toEqual([]);
  await refuse(no('second'), 130);
  expect(await received(no('third'))).toEqual([
    {
      kind: 'device.down',
      state: 'Pending',
      undelivered: [{ Contact: 'second', Reason: '410 Gone' }],
    },
  ]);
  await fixture.take([{ device, agent: place.agentNo, at: 160, code: 1 }]);
  await fixture.decide(170);
  expect((await received(no('third'))).map(({ kind }) => kind)).toEqual(['device.down', 'device.up']);
  const [alert] = await fixture.alerts(device);
  expect(alert?.reason ?? '').not.toContain('Nobody');
});

test('whoever got a message of a flapping in the place of another gets the end of it, too', async () => {
  const no = await schedule(['first'], ['second']);
  const device = await fixture.device([place]);
  await fixture.take([{ device, agent: place.agentNo, at: 2_010, code: 1 }]);
  await down(device, 2_100);
  await fixture.decide(2_110);
  await fixture.kysely
    .updateTable('notifications')
    .set({ kind: 'device.flapping' })
    .where('contact_no', '=', no('first'))
    .execute();
  await refuse(no('first'), 2_120);
  await fixture.take([{ device, agent: place.agentNo, at: 2_160, code: 1 }]);
  await fixture.decide(2_170);
  expect((await received(no('second'))).map(({ kind }) => kind)).toEqual(['device.flapping', 'device.up']);
});

async function kindsOf(contactNo: number) {
  return (await received(contactNo)).map(({ kind }) => kind);
}

/** Ends the messages of this kind that wait for a contact, as its server accepted them. */
async function accept(contactNo: number, kind: string) {
  await fixture.kysely
    .updateTable('notifications')
    .set({ state: 'Delivered' })
    .where('contact_no', '=', contactNo)
    .where('kind', '=', kind)
    .execute();
}

test.each([
  ['refuses too', async () => {}],
  ['accepts, because the contact was edited meanwhile', (no: number) => accept(no, 'device.up')],
  [
    'was not to get, by its Notify',
    async (no: number) => {
      await fixture.kysely
        .deleteFrom('notifications')
        .where('contact_no', '=', no)
        .where('kind', '=', 'device.up')
        .execute();
    },
  ],
])(
  'a Down that its contact refuses after its alert ended goes to others together with the Up, which it %s',
  async (_, atUp) => {
    const no = await schedule(['first'], ['second']);
    const device = await fixture.device([place]);
    await fixture.take([{ device, agent: place.agentNo, at: 3_010, code: 1 }]);
    await down(device, 3_100);
    await fixture.decide(3_110);
    await fixture.take([{ device, agent: place.agentNo, at: 3_160, code: 1 }]);
    await fixture.decide(3_170);
    await atUp(no('first'));
    await refuse(no('first'), 3_200);
    expect(await kindsOf(no('second'))).toEqual(['device.down', 'device.up']);
    const { kysely } = fixture;
    const end = await kysely
      .selectFrom('notifications')
      .select('data')
      .where('contact_no', '=', no('second'))
      .where('kind', '=', 'device.up')
      .executeTakeFirstOrThrow();
    expect(end.data).toMatchObject({
      Status: 'Up',
      Since: startUs + 3_161 * second,
      DownSince: startUs + 3_101 * second,
      Seconds: 60,
    });
  },
);

test('a repeat that its contact refuses after the alert ended is not sent to somebody who heard of the end', async () => {
  const no = await schedule(['first'], ['second']);
  const { kysely } = fixture;
  await kysely
    .updateTable('nschedules')
    .set({ steps: sql`jsonb_set(steps, '{0,RepeatMinutes}', '5')` })
    .execute();
  const device = await fixture.device([place]);
  await fixture.take([{ device, agent: place.agentNo, at: 4_010, code: 1 }]);
  await down(device, 4_100);
  for (const at of [4_110, 7_720, 8_300]) await fixture.decide(at);
  await kysely
    .updateTable('notifications')
    .set({ attempts: 1 })
    .where('contact_no', '=', no('first'))
    .execute();
  await fixture.take([{ device, agent: place.agentNo, at: 8_310, code: 1 }]);
  await fixture.decide(8_320);
  expect(await kindsOf(no('second'))).toEqual(['device.down', 'device.up']);
  await refuse(no('first'), 8_330);
  expect(await kindsOf(no('second'))).toEqual(['device.down', 'device.up']);
});

test('what a contact refuses of an outage before the present one is sent to nobody, so that Up is never the last', async () => {
  const no = await schedule(['first'], ['second']);
  const device = await fixture.device([place]);
  await fixture.take([{ device, agent: place.agentNo, at: 8_610, code: 1 }]);
  await down(device, 8_700);
  await fixture.decide(8_710);
  await fixture.take([{ device, agent: place.agentNo, at: 8_760, code: 1 }]);
  await fixture.decide(8_770);
  // Attempted, so it is not withdrawn when the device is Down again.
  await fixture.kysely
    .updateTable('notifications')
    .set({ attempts: 1 })
    .where('contact_no', '=', no('first'))
    .execute();
  await down(device, 8_800);
  await fixture.decide(8_810);
  await refuse(no('first'), 8_820);
  expect(await fixture.alerts(device)).toHaveLength(2);
  expect(await kindsOf(no('second'))).toEqual(['device.down']);
  await fixture.take([{ device, agent: place.agentNo, at: 8_860, code: 1 }]);
  await fixture.decide(8_870);
  expect(await kindsOf(no('second'))).toEqual(['device.down', 'device.up']);
});

test('a Down that its contact refuses after its device was paused is sent to nobody', async () => {
  const no = await schedule(['first'], ['second']);
  const device = await fixture.device([place]);
  const { kysely } = fixture;
  await fixture.take([{ device, agent: place.agentNo, at: 9_010, code: 1 }]);
  await down(device, 9_100);
  await fixture.decide(9_110);
  await kysely
    .updateTable('notifications')
    .set({ attempts: 1 })
    .where('contact_no', '=', no('first'))
    .execute();
  await kysely.updateTable('devices').set({ enabled: false }).where('device_no', '=', device).execute();
  await fixture.decide(9_200);
  await refuse(no('first'), 9_210);
  expect(await kindsOf(no('second'))).toEqual([]);
  expect((await fixture.alerts(device))[0]?.reason).toBe('device paused');
});

test('where nobody is left, the alert and an event name what was not delivered', async () => {
  const no = await schedule(['alone']);
  const device = await fixture.device([place]);
  await fixture.take([{ device, agent: place.agentNo, at: 1_010, code: 1 }]);
  await down(device, 1_100);
  await fixture.decide(1_110);
  await refuse(no('alone'), 1_120);
  const [alert] = await fixture.alerts(device);
  expect(alert?.reason).toBe('No contact could be notified: contact alone, 410 Gone');
  const failed = (await fixture.events(device)).filter(({ type }) => type === 'AlertFailed');
  expect(failed.map(({ message }) => message)).toEqual([
    'Contact alone was not notified of device.down: 410 Gone; no other contact is left to notify',
  ]);
  // The schedules of later tests are the account's too: they would notify of an outage that lasts.
  await fixture.take([{ device, agent: place.agentNo, at: 1_160, code: 1 }]);
  await fixture.decide(1_170);
});

const failingUs = 1_800 * second;

async function decideOnly(at: number) {
  const nowUs = startUs + at * second;
  await fixture.kysely.transaction().execute((trx) => decideContacts(trx, { afterUs: failingUs, nowUs }));
}

async function contacts(at: number) {
  await decideOnly(at);
  await fixture.decide(at);
}

test('a contact that fails for 30 min, or refused one message for good, is one alert until it works again', async () => {
  const no = await schedule(['broken', 'well']);
  const { kysely, accountNo } = fixture;
  const health = (values: { failing_since_us: number | null; failed_us?: number | null }) =>
    kysely.updateTable('contact_health').set(values).where('contact_no', '=', no('broken')).execute();
  await kysely
    .insertInto('contact_health')
    .values({ contact_no: no('broken'), account_no: accountNo, last_answer: 'HTTP 500' })
    .execute();
  const said = async () =>
    (await received(no('well'))).map(({ kind }) => kind).filter((kind) => kind === 'contact.failing');
  await health({ failing_since_us: startUs + 10_000 * second });
  await contacts(10_000 + 1_799);
  expect(await said()).toEqual([]);
  await contacts(10_000 + 1_800);
  await contacts(10_000 + 1_900);
  const alerts = () =>
    kysely
      .selectFrom('alerts')
      .select(['severity', 'closed_us', 'since_us', 'reason'])
      .where('kind', '=', 'contact.failing')
      .where('account_no', '=', accountNo)
      .execute();
  expect(await alerts()).toEqual([
    {
      severity: 'warning',
      closed_us: null,
      since_us: startUs + 10_000 * second,
      reason: 'HTTP 500',
    },
  ]);
  // It is said in office hours: at the latest after a weekend.
  for (let hours = 6; hours <= 96; hours += 6) await fixture.decide(10_000 + hours * 3_600);
  expect(await said()).toEqual(['contact.failing']);
  expect((await received(no('broken'))).map(({ kind }) => kind)).not.toContain('contact.failing');
  const at = 10_000 + 4 * 86_400;
  await health({ failing_since_us: null });
  await decideOnly(at + 1);
  await health({ failing_since_us: startUs + (at + 2) * second });
  await contacts(at + 3);
  expect(await said()).toEqual(['contact.failing']);
  await health({ failing_since_us: null });
  await contacts(at + 10);
  expect(await said()).toEqual(['contact.failing', 'contact.failing']);
  expect(await alerts()).toMatchObject([{ closed_us: expect.any(Number) }]);
  await health({ failing_since_us: startUs + 500_000 * second, failed_us: startUs + 500_000 * second });
  await contacts(500_000);
  expect(await alerts()).toHaveLength(2);
  await kysely.deleteFrom('contacts').where('contact_no', '=', no('broken')).execute();
  await contacts(500_010);
  expect(await alerts()).toMatchObject([{}, { closed_us: expect.any(Number) }]);
});
