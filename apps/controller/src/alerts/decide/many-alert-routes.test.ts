import { newId } from '@vantage/kernel';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OneAccount, startOneAccount } from '../../testing/one-account.ts';
import { addAlert } from '../../testing/sample-account.ts';

let one: OneAccount;
let location: string;

beforeAll(async () => {
  one = await startOneAccount({ timezone: 'Europe/Oslo' });
  location = 'local';
});
afterAll(() => one[Symbol.asyncDispose]());

/** Devices with an open alert each, of a tag of their own. */
async function downDevices(count: number, tag: string) {
  const alerts: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const ShortName = `${tag.slice(0, 5)}-${i}`;
    const device = { Method: 'TCP', URL: `example.org:${8_000 + i}`, ShortName };
    const deviceId = await one.create('/devices', device);
    const { device_no: deviceNo } = await one.rest.db.kysely
      .selectFrom('devices')
      .select('device_no')
      .where('device_id', '=', deviceId)
      .executeTakeFirstOrThrow();
    const { accountNo, locationNo } = one;
    alerts.push(await addAlert(one.rest, { accountNo, locationNo, deviceNo, deviceId }));
    await one.send('PUT', `/devices/${deviceId}`, { Tags: [tag] });
  }
  return alerts;
}

async function statesOf(alerts: readonly string[]) {
  const { rows } = await sql<{ state: string }>`
    select case when acknowledged_us is not null then acknowledged_by || ': ' || coalesce(acknowledged_note, '') || ' ' || (due_us is not null)
      when snoozed_until_us is not null then 'snoozed' else 'open' end as state
    from alerts where alert_id = any(${alerts}::text[]) order by alert_no`.execute(one.rest.db.kysely);
  return rows.map(({ state }) => state);
}

test('one request acknowledges the alerts that it names, and says which it did not', async () => {
  await one.create('/tags', { Name: 'named' });
  const [first = '', second = '', closed = ''] = await downDevices(3, 'named');
  await sql`update alerts set closed_us = 1 where alert_id = ${closed}`.execute(one.rest.db.kysely);
  const unknown = newId();
  const body = { Alerts: [first, second, second, closed, unknown], Note: 'on it' };
  expect((await one.send('PUT', '/alerts/acknowledge', body)).json).toEqual({
    Matched: 4,
    Changed: 2,
    Refused: [
      { alert_id: closed, Reason: 'The alert is closed.' },
      { alert_id: unknown, Reason: 'There is no such alert.' },
    ],
  });
  expect(await statesOf([first, second, closed])).toEqual([
    expect.stringContaining(': on it true'),
    expect.stringContaining(': on it true'),
    'open',
  ]);
  expect((await one.send('GET', `/audit?Kind=alert&Id=${second}`)).json).toMatchObject([
    { Action: 'Update', Changes: [{ Field: 'Acknowledged', New: { Note: 'on it' } }] },
  ]);
});

test('a Filter chooses by Tag, Location, Severity, Kind and Device, and by name or id', async () => {
  const tag_id = await one.create('/tags', { Name: 'berlin' });
  const alerts = await downDevices(3, 'berlin');
  const put = async (Filter: object) =>
    (await one.send('PUT', '/alerts/snooze', { Duration: '00:30', Filter })).json;
  expect(await put({ Tag: 'berlin', Severity: 'info' })).toMatchObject({ Changed: 0 });
  expect(await put({ Tag: 'berlin', Kind: 'device.partial' })).toMatchObject({ Changed: 0 });
  expect(await put({ Tag: 'berlin', Location: 'elsewhere' })).toMatchObject({ code: 1003 });
  await one.create('/locations', { Name: 'empty' });
  expect(await put({ Tag: 'berlin', Location: 'empty' })).toMatchObject({ Changed: 0 });
  expect(await statesOf(alerts)).toEqual(['open', 'open', 'open']);
  const severity = 'critical';
  expect(await put({ Tag: tag_id, Severity: severity, Kind: 'device.down', Location: location })).toEqual({
    Matched: 3,
    Changed: 3,
    Refused: [],
  });
  expect(await statesOf(alerts)).toEqual(['snoozed', 'snoozed', 'snoozed']);
});

test('a Preview counts and changes nothing, and a Filter for open ones leaves what somebody has', async () => {
  await one.create('/tags', { Name: 'counted' });
  const alerts = await downDevices(3, 'counted');
  const put = async (body: object) => (await one.send('PUT', '/alerts/acknowledge', body)).json;
  await put({ Alerts: alerts.slice(0, 1), Note: 'mine' });
  const Filter = { Tag: 'counted', State: 'Open' };
  expect(await put({ Filter, Preview: true })).toEqual({ Matched: 2, Changed: 0, Refused: [] });
  expect(await put({ Filter: { Tag: 'counted' }, Preview: true })).toMatchObject({ Matched: 3 });
  expect((await statesOf(alerts)).slice(1)).toEqual(['open', 'open']);
  expect(await put({ Filter, Note: 'the rest' })).toMatchObject({ Matched: 2, Changed: 2 });
  expect(await statesOf(alerts)).toEqual([
    expect.stringContaining(': mine true'),
    expect.stringContaining(': the rest true'),
    expect.stringContaining(': the rest true'),
  ]);
});

test('an empty Filter means every open alert of the account', async () => {
  await sql`update alerts set closed_us = 1`.execute(one.rest.db.kysely);
  await one.create('/tags', { Name: 'all' });
  await downDevices(2, 'all');
  expect((await one.send('PUT', '/alerts/acknowledge', { Filter: {} })).json).toMatchObject({ Changed: 2 });
});

test.each([
  ['acknowledge', {}, 'Alerts'],
  ['acknowledge', { Filter: {}, Alerts: [newId()] }, 'Alerts'],
  ['acknowledge', { Alerts: [] }, 'Alerts'],
  ['acknowledge', { Alerts: Array.from({ length: 1_001 }, () => newId()) }, 'Alerts'],
  ['acknowledge', { Filter: { State: 'Closed' } }, 'Filter.State'],
  ['acknowledge', { Filter: { Status: 'Open' } }, 'Filter.Status'],
  ['snooze', { Filter: {} }, 'Duration'],
])('a bad body of %s names its field: %j', async (verb, body, field) => {
  expect((await one.send('PUT', `/alerts/${verb}`, body)).json).toMatchObject({
    code: 1004,
    errors: [{ field }],
  });
});
