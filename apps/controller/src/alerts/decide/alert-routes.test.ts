import { newId } from '@vantage/kernel';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type OneAccount, startOneAccount } from '../../testing/one-account.ts';
import { addAlert } from '../../testing/sample-account.ts';
import { enqueue } from '../deliver/enqueue.ts';
import { sampleNotification } from '../deliver/testing/sample.ts';

let one: OneAccount;
let about: { accountNo: number; locationNo: number; deviceNo: number; deviceId: string };

beforeAll(async () => {
  one = await startOneAccount({ timezone: 'Europe/Oslo' });
  const deviceId = await one.create('/devices', { Method: 'TCP', URL: 'example.org:80', ShortName: 'web' });
  const { device_no: deviceNo } = await one.rest.db.kysely
    .selectFrom('devices')
    .select('device_no')
    .where('device_id', '=', deviceId)
    .executeTakeFirstOrThrow();
  about = { accountNo: one.accountNo, locationNo: one.locationNo, deviceNo, deviceId };
});
afterAll(() => one[Symbol.asyncDispose]());

const rows = z.array(z.object({ alert_id: z.string() }));

/** An open alert; the one before it closes. */
async function newAlert() {
  await one.rest.db.kysely
    .updateTable('alerts')
    .set({ closed_us: one.rest.clock.nowUs() })
    .where('closed_us', 'is', null)
    .execute();
  return addAlert(one.rest, about);
}

async function ids(query: string) {
  return rows.parse((await one.send('GET', `/alerts${query}`)).json).map((row) => row.alert_id);
}

test('an alert shows its device, why it is as it is, and its messages', async () => {
  const alert = await newAlert();
  const { json } = await one.send('GET', `/alerts/${alert}`);
  expect(json).toEqual({
    alert_id: alert,
    device_id: about.deviceId,
    ShortName: 'web',
    FullName: null,
    Kind: 'device.down',
    State: 'Open',
    location_id: expect.any(String),
    Opened: '2026-09-21T16:13:20+02:00',
    Closed: null,
    Since: '2026-09-21T16:12:20+02:00',
    Severity: 'critical',
    Reason: 'master gw not verified: it is paused',
    Shadow: false,
    Location: 'local',
    CheckResult: 'connection refused',
    Contact: null,
    contact_id: null,
    Acknowledged: null,
    SnoozedUntil: null,
    Notifications: [],
  });
});

test('a list is narrowed by State, Kind and Device, and paged from the newest to the oldest', async () => {
  const [first, second, third] = [await newAlert(), await newAlert(), await newAlert()];
  expect((await ids('')).slice(0, 3)).toEqual([third, second, first]);
  expect(await ids('?State=Open')).toEqual([third]);
  expect(await ids(`?State=Closed&Limit=1`)).toEqual([second]);
  expect(await ids(`?Before=${third}&Limit=2`)).toEqual([second, first]);
  expect(await ids('?Kind=device.partial')).toEqual([]);
  expect(await ids(`?Device=${newId()}`)).toEqual([]);
  expect((await ids(`?Device=${about.deviceId}&Limit=2`)).length).toBe(2);
  expect((await one.send('GET', `/alerts?Before=${newId()}`)).json).toMatchObject({ code: 1003 });
});

test('a list is narrowed by several States and Severities, by Tag, Location, and whether its messages are held back', async () => {
  const { db } = one.rest;
  const [closed, open] = [await newAlert(), await newAlert()];
  const set = (alertId: string, change: { severity: string; acknowledged_us?: number }) =>
    db.kysely.updateTable('alerts').set(change).where('alert_id', '=', alertId).execute();
  await set(closed, { severity: 'info' });
  await set(open, { severity: 'warning', acknowledged_us: 1 });
  await sql`update alerts set state = jsonb_set(state, '{phase}', '"suppressed"') where alert_id = ${open}`.execute(
    db.kysely,
  );
  const tag = await one.create('/tags', { Name: 'shop' });
  const empty = await one.create('/tags', { Name: 'empty' });
  await one.send('PUT', `/tags/${tag}/devices/${about.deviceId}`);
  const first = async (query: string) => (await ids(query))[0];
  expect(await ids('?State=Open,Acknowledged')).toEqual([open]);
  expect(await ids('?State=Open,Snoozed')).toEqual([]);
  expect((await ids('?State=Closed,Acknowledged')).slice(0, 2)).toEqual([open, closed]);
  expect(await ids('?Severity=warning')).toEqual([open]);
  expect(await ids('?Severity=info,warning')).toEqual([open, closed]);
  expect(await ids('?Suppressed=true')).toEqual([open]);
  expect(await first('?Suppressed=N')).toBe(closed);
  expect([await first('?Tag=shop'), await first(`?Tag=${tag}`)]).toEqual([open, open]);
  expect(await ids(`?Tag=${empty}`)).toEqual([]);
  expect(await first('?Location=local')).toBe(open);
  for (const [query, code] of [
    ['State=Open,x', 1004],
    ['State=', 1004],
    ['Severity=high', 1004],
    ['Suppressed=1', 1004],
    ['Tag=x', 1003],
    ['Location=x', 1003],
  ] as const)
    expect([query, (await one.send('GET', `/alerts?${query}`)).json]).toMatchObject([query, { code }]);
});

test('Shadow narrows to alerts with messages that were recorded only, also as CSV', async () => {
  const [sent, recorded] = [await newAlert(), await newAlert()];
  const contact = { Type: 'email', Address: 'noc@example.org' };
  const live = await one.create('/contacts', { ...contact, Name: 'live' });
  const shadow = await one.create('/contacts', { ...contact, Name: 'shadow', Shadow: true });
  const { db } = one.rest;
  for (const [alertId, contactId] of [
    [sent, live],
    [recorded, live],
    [recorded, shadow],
  ]) {
    const { alert_no: alertNo } = await db.kysely
      .selectFrom('alerts')
      .select('alert_no')
      .where('alert_id', '=', alertId ?? '')
      .executeTakeFirstOrThrow();
    const { contact_no: contactNo } = await db.kysely
      .selectFrom('contacts')
      .select('contact_no')
      .where('contact_id', '=', contactId ?? '')
      .executeTakeFirstOrThrow();
    const row = {
      ...sampleNotification,
      accountNo: about.accountNo,
      alertNo,
      contactNo,
      orderKey: alertId ?? '',
    };
    await enqueue(
      db.kysely,
      [{ ...row, step: contactId === live ? 2 : null, atUs: one.rest.clock.nowUs() }],
      one.rest.clock.nowUs(),
    );
  }
  expect(await ids('?Shadow=Y')).toEqual([recorded]);
  expect(await ids('?Shadow=N')).not.toContain(recorded);
  expect((await one.send('GET', `/alerts/${recorded}`)).json).toMatchObject({
    Shadow: true,
    Notifications: [
      { contact_id: live, Kind: 'device.down', At: '2026-09-21T16:13:20+02:00', State: 'Pending', Step: 2 },
      {
        contact_id: shadow,
        Kind: 'device.down',
        At: '2026-09-21T16:13:20+02:00',
        State: 'Shadow',
        Step: null,
      },
    ],
  });
  const csv = (await one.send('GET', '/alerts?Shadow=Y&fmt=csv')).text.split('\r\n');
  expect(csv[0]).toContain('alert_id,device_id,ShortName,FullName,Kind,State,Opened,Closed,Since');
  expect(csv[1]).toContain(recorded);
  expect(csv).toHaveLength(3);
  expect((await one.send('GET', '/alerts?Shadow=yes')).json).toMatchObject({ code: 1004 });
});

test('an acknowledgement shows who and why, in the outage and in the audit too', async () => {
  const alert = await newAlert();
  const { clock, db } = one.rest;
  await db.kysely
    .insertInto('status_intervals')
    .values({ device_no: about.deviceNo, from_us: clock.nowUs() - 60_000_000, status: 'Down' })
    .execute();
  const outages = async () => (await one.send('GET', '/outages')).json;
  expect(await outages()).toMatchObject([{ Acknowledged: false }]);
  const { json } = await one.send('PUT', `/alerts/${alert}/acknowledge`, { Note: 'on it' });
  expect(json).toMatchObject({
    State: 'Acknowledged',
    Acknowledged: { Note: 'on it', At: '2026-09-21T16:13:20+02:00' },
  });
  expect(await ids('?State=Acknowledged')).toEqual([alert]);
  expect(await outages()).toMatchObject([{ Acknowledged: true }]);
  expect((await one.send('GET', `/audit?Kind=alert&Id=${alert}`)).json).toMatchObject([
    { Action: 'Update', Changes: [{ Field: 'Acknowledged', New: { Note: 'on it' } }] },
  ]);
});

test('an alert is handed over, and taken back: it is open again, and the next acknowledgement is told again', async () => {
  const alert = await newAlert();
  const put = async (verb: string, body?: object) =>
    (await one.send('PUT', `/alerts/${alert}/${verb}`, body)).json;
  expect(await put('acknowledge', { By: 'Jana Wolf', Note: 'yours' })).toMatchObject({
    State: 'Acknowledged',
    Acknowledged: { By: 'Jana Wolf', Note: 'yours' },
  });
  const { db } = one.rest;
  await sql`update alerts set state = state || '{"announcedAcknowledgement": true}' where alert_id = ${alert}`.execute(
    db.kysely,
  );
  expect(await put('reopen')).toMatchObject({ State: 'Open', Acknowledged: null, SnoozedUntil: null });
  const { rows: states } = await sql`
    select state -> 'announcedAcknowledgement' as told, due_us is not null as is_due from alerts where alert_id = ${alert}`.execute(
    db.kysely,
  );
  expect(states).toEqual([{ told: false, is_due: true }]);
  await put('snooze', { Duration: '00:30' });
  expect(await put('reopen')).toMatchObject({ State: 'Open', SnoozedUntil: null });
  expect((await one.send('GET', `/audit?Kind=alert&Id=${alert}`)).json).toMatchObject([
    { Changes: [{ Field: 'SnoozedUntil', Old: '2026-09-21T16:43:20+02:00', New: null }] },
    { Changes: [{ Field: 'SnoozedUntil' }] },
    { Changes: [{ Field: 'Acknowledged', Old: { By: 'Jana Wolf', Note: 'yours' }, New: null }] },
    { Changes: [{ Field: 'Acknowledged', New: { By: 'Jana Wolf', Note: 'yours' } }] },
  ]);
  await db.kysely.updateTable('alerts').set({ closed_us: 1 }).where('alert_id', '=', alert).execute();
  expect(await put('reopen')).toMatchObject({ code: 1005 });
});

test('an alert about a contact names it', async () => {
  const alert = await newAlert();
  const { db } = one.rest;
  const facts = { Contact: 'Night desk', contact_id: about.deviceId };
  await sql`update alerts set opening = ${JSON.stringify(facts)}::jsonb where alert_id = ${alert}`.execute(
    db.kysely,
  );
  expect((await one.send('GET', `/alerts/${alert}`)).json).toMatchObject({
    Contact: 'Night desk',
    contact_id: about.deviceId,
  });
});

test('a snooze ends by itself', async () => {
  const alert = await newAlert();
  const { json } = await one.send('PUT', `/alerts/${alert}/snooze`, { Duration: '00:30' });
  expect(json).toMatchObject({ State: 'Snoozed', SnoozedUntil: '2026-09-21T16:43:20+02:00' });
  await one.rest.clock.advance(30 * 60_000);
  expect((await one.send('GET', `/alerts/${alert}`)).json).toMatchObject({
    State: 'Open',
    SnoozedUntil: null,
  });
});

test.each([
  ['acknowledge', { Note: 'late' }],
  ['snooze', { Duration: '01:00' }],
])('a closed alert cannot be changed: %s', async (verb, body) => {
  const closed = await newAlert();
  await newAlert();
  expect((await one.send('PUT', `/alerts/${closed}/${verb}`, body)).json).toMatchObject({ code: 1005 });
  expect((await one.send('GET', `/audit?Kind=alert&Id=${closed}`)).json).toEqual([]);
});

test.each([
  ['acknowledge', { Note: 'two\nlines' }, 'Note'],
  ['snooze', {}, 'Duration'],
  ['snooze', { Duration: '1h' }, 'Duration'],
])('a bad body names its field: %s %j', async (verb, body, field) => {
  const alert = await newAlert();
  expect((await one.send('PUT', `/alerts/${alert}/${verb}`, body)).json).toMatchObject({
    code: 1004,
    errors: [{ field }],
  });
});

test('an acknowledgement without a name, as a damaged row has it, is none', async () => {
  const alert = await newAlert();
  const { kysely } = one.rest.db;
  await sql`update alerts set acknowledged_us = 5, acknowledged_by = null where alert_id = ${alert}`.execute(
    kysely,
  );
  expect((await one.send('GET', `/alerts/${alert}`)).json).toMatchObject({ Acknowledged: null });
});

test('an alert and its messages keep the names of their device when that is deleted', async () => {
  const body = { Method: 'TCP', URL: 'example.org:80', ShortName: 'gone', FullName: 'Old shop' };
  const deviceId = await one.create('/devices', body);
  const { kysely } = one.rest.db;
  const { device_no: deviceNo } = await kysely
    .selectFrom('devices')
    .select('device_no')
    .where('device_id', '=', deviceId)
    .executeTakeFirstOrThrow();
  const alert = await addAlert(one.rest, { ...about, deviceNo, deviceId });
  const { alert_no } = await kysely
    .selectFrom('alerts')
    .select('alert_no')
    .where('alert_id', '=', alert)
    .executeTakeFirstOrThrow();
  const contactId = await one.create('/contacts', {
    Name: 'hears of the deleted one',
    Type: 'email',
    Address: 'noc@example.org',
  });
  const { contact_no } = await kysely
    .selectFrom('contacts')
    .select('contact_no')
    .where('contact_id', '=', contactId)
    .executeTakeFirstOrThrow();
  const message = {
    ...sampleNotification,
    accountNo: one.accountNo,
    alertNo: alert_no,
    contactNo: contact_no,
  };
  await enqueue(kysely, [message], one.rest.clock.nowUs());
  expect((await one.send('DELETE', `/devices/${deviceId}`)).status).toBe(200);
  const named = { device_id: deviceId, ShortName: 'gone' };
  expect((await one.send('GET', `/alerts/${alert}`)).json).toMatchObject({ ...named, FullName: 'Old shop' });
  expect((await one.send('GET', `/alerts?Device=${deviceId}`)).json).toMatchObject([named]);
  expect((await one.send('GET', `/contacts/${contactId}/deliveries`)).json).toMatchObject([named]);
});
