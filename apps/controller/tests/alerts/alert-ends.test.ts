import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { touchOrphans } from '../../src/alerts/decide/due-store.ts';
import { createAlertFixture } from '../../src/alerts/decide/testing/alert-fixture.ts';
import { second, startUs } from '../../src/results/status/testing/scenario.ts';

let fixture: Awaited<ReturnType<typeof createAlertFixture>>;
let place: { locationNo: number; agentNo: number };

beforeAll(async () => {
  fixture = await createAlertFixture();
  place = await fixture.location('Oslo');
  await fixture.everybody();
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** A device that was Up and is Down: Retries is 2. */
async function downDevice(from: number) {
  const device = await fixture.device([place]);
  const { agentNo } = place;
  await fixture.take([{ device, agent: agentNo, at: from - 10, code: 1, attempt: 0 }]);
  for (const attempt of [0, 1, 2])
    await fixture.take([{ device, agent: agentNo, at: from + 2 * attempt, code: 3, attempt }]);
  return device;
}

async function types(device: number) {
  return (await fixture.events(device)).map(({ type }) => type).filter((type) => type.startsWith('Alert'));
}

test('a device that fails from one of its Locations notifies of device.partial, and of the end when that Location is fine again', async () => {
  const other = await fixture.location('Rome');
  const device = await fixture.device([place, other]);
  const at = (from: number, code: number, { agentNo }: { agentNo: number }, attempt = 0) =>
    fixture.take([{ device, agent: agentNo, at: from, code, attempt }]);
  await at(1_000, 1, place);
  for (const from of [1_010, 1_020, 1_030]) {
    await at(from, 3, place);
    await at(from + 2, 1, other, 1);
  }
  await fixture.decide(1_040);
  expect(await fixture.messages(device)).toEqual(['device.partial']);
  expect(await types(device)).toEqual(['Alert']);
  expect(await fixture.alerts(device)).toMatchObject([{ kind: 'device.partial', closed_us: null }]);
  await at(1_050, 1, other);
  await fixture.decide(1_110);
  expect(await fixture.messages(device)).toEqual(['device.partial']);
  await at(1_120, 1, place);
  await fixture.decide(1_125);
  expect(await fixture.messages(device)).toEqual(['device.partial', 'device.up']);
  expect(await fixture.alerts(device)).toMatchObject([
    { closed_us: startUs + 1_125 * second, reason: 'the device works from all Locations again' },
  ]);
  const ended = (await fixture.events(device)).filter(({ type }) => type === 'Recovered').at(-1);
  expect(ended?.message).toContain('Recovered at all Locations');
});

test('the alert of an offline Location closes without a message when the Location is deleted', async () => {
  const gone = await fixture.location('Turin');
  const { kysely, recordEvents, accountNo } = fixture;
  const { locationNo } = gone;
  const offline = { kind: 'location-offline', accountNo, locationNo, locationName: 'Turin' } as const;
  await kysely
    .transaction()
    .execute((trx) =>
      recordEvents(
        trx,
        [{ ...offline, sinceUs: startUs, reason: null, devices: 0 }],
        startUs + 2_000 * second,
      ),
    );
  await fixture.decide(2_001);
  const before = await fixture.messages(null);
  expect(before.at(-1)).toBe('location.offline');
  await sql`update locations set deleted_at = now(), online = false where location_no = ${locationNo}`.execute(
    kysely,
  );
  await touchOrphans(kysely, startUs + 2_010 * second);
  await fixture.decide(2_010);
  expect(await fixture.messages(null)).toEqual(before);
  const alerts = await kysely
    .selectFrom('alerts')
    .selectAll()
    .where('location_no', '=', locationNo)
    .execute();
  expect(alerts).toMatchObject([
    { closed_us: startUs + 2_010 * second, reason: 'Location deleted', due_us: null },
  ]);
});

test('an alert of a kind of a later version waits an hour, and stops no other', async () => {
  await sql`insert into alerts (alert_id, account_no, kind, severity, opened_us, since_us, state, opening, due_us)
    select md5(n::text), ${fixture.accountNo}, 'device.haunted', 'critical', 0, 0, '{"phase": "active"}', '{}', 0
    from generate_series(1, 1000) n`.execute(fixture.kysely);
  const device = await downDevice(3_010);
  await fixture.decide(3_020);
  await fixture.decide(3_021);
  expect(await fixture.messages(device)).toEqual(['device.down']);
  const { rows } = await sql`select min(due_us) as due from alerts where kind = 'device.haunted'`.execute(
    fixture.kysely,
  );
  expect(rows).toEqual([{ due: startUs + (3_020 + 3_600) * second }]);
  await fixture.kysely.deleteFrom('alerts').where('kind', '=', 'device.haunted').execute();
});

test('a device that is paused takes back its messages that nobody tried to send; one that is Up again takes back the repeats', async () => {
  const [paused, well] = [await downDevice(4_000), await downDevice(4_001)];
  await fixture.decide(4_020);
  for (const device of [paused, well]) {
    const [alert] = await fixture.alerts(device);
    await sql`insert into notifications (notification_id, account_no, contact_no, alert_no, order_key, kind, severity, data, at_us,
        created_us, due_us)
      select md5(notification_id), account_no, contact_no, alert_no, order_key, kind, severity, data, at_us, created_us, due_us
      from notifications where alert_no = ${alert?.alert_no ?? 0}`.execute(fixture.kysely);
  }
  await fixture.kysely
    .updateTable('devices')
    .set({ enabled: false })
    .where('device_no', '=', paused)
    .execute();
  await fixture.take([{ device: well, agent: place.agentNo, at: 4_030, code: 1, attempt: 0 }]);
  await fixture.decide(4_090);
  const states = async (device: number) =>
    (
      await fixture.kysely
        .selectFrom('notifications as n')
        .innerJoin('alerts as a', 'a.alert_no', 'n.alert_no')
        .select(['n.kind', 'n.state'])
        .where('a.device_no', '=', device)
        .orderBy('n.notification_no')
        .execute()
    ).map(({ kind, state }) => `${kind} ${state}`);
  expect(await states(paused)).toEqual(['device.down Withdrawn', 'device.down Withdrawn']);
  expect(await states(well)).toEqual(['device.down Pending', 'device.down Withdrawn', 'device.up Pending']);
});

/** Devices that fall, come back and fall again together, where nobody was told of the end meanwhile; their messages. */
async function fallTwice(count: number, from: number) {
  const devices: number[] = [];
  for (let i = 0; i < count; i += 1) devices.push(await fixture.device([place]));
  const all = (at: number, code: number, attempt = 0) =>
    fixture.take(devices.map((device) => ({ device, agent: place.agentNo, at, code, attempt })));
  await all(from - 10, 1);
  for (const attempt of [0, 1, 2]) await all(from + 2 * attempt, 3, attempt);
  await fixture.decide(from + 5);
  await fixture.kysely
    .updateTable('notifications')
    .set({ state: 'Delivered' })
    .where('kind', '=', 'device.down')
    .execute();
  await all(from + 20, 1);
  await fixture.decide(from + 21);
  for (const attempt of [0, 1, 2]) await all(from + 30 + 2 * attempt, 3, attempt);
  await fixture.decide(from + 40);
  return Promise.all(
    devices.map(async (device) => {
      const { rows } = await sql<{ kind: string; state: string }>`
        select n.kind, n.state from notifications n join alerts a using (alert_no) where a.device_no = ${device}
        order by n.notification_no`.execute(fixture.kysely);
      return rows;
    }),
  );
}

test('of devices that fail again at one moment, each takes back the end that nobody heard, as one alone does', async () => {
  const [alone] = await fallTwice(1, 6_000);
  expect(alone).not.toContainEqual({ kind: 'device.up', state: 'Pending' });
  for (const each of await fallTwice(3, 7_000)) expect(each).toEqual(alone);
});

test('a contact that wants to hear of outages only hears of these and of flapping', async () => {
  await fixture.everybody({}, ['device.down']);
  const [messages] = await fallTwice(1, 8_000);
  expect(messages?.map(({ kind }) => kind)).toEqual(['device.down', 'device.down']);
});
