import { newId } from '@vantage/kernel';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAlertFixture } from '../../src/alerts/decide/testing/alert-fixture.ts';
import { second, startUs } from '../../src/results/status/testing/scenario.ts';

let fixture: Awaited<ReturnType<typeof createAlertFixture>>;
let place: { locationNo: number; agentNo: number };

beforeAll(async () => {
  fixture = await createAlertFixture();
  place = await fixture.location('Oslo');
});
afterAll(() => fixture[Symbol.asyncDispose]());

async function device(from: number) {
  const made = await fixture.device([place]);
  await fixture.take([{ device: made, agent: place.agentNo, at: from, code: 1, attempt: 0 }]);
  return made;
}

async function goesDown(which: number, from: number) {
  const { agentNo: agent } = place;
  for (const attempt of [0, 1, 2])
    await fixture.take([{ device: which, agent, at: from + 2 * attempt, code: 3, attempt }]);
  await fixture.decide(from + 5);
}

async function comesUp(which: number, at: number) {
  await fixture.take([{ device: which, agent: place.agentNo, at, code: 1, attempt: 0 }]);
  await fixture.decide(at + 1);
}

async function dataOf(which: number | null, kind: string) {
  const { rows } = await sql<{ data: Record<string, unknown> }>`
    select n.data from notifications n join alerts a using (alert_no)
    where a.device_no is not distinct from ${which} and n.kind = ${kind} order by n.notification_no`.execute(
    fixture.kysely,
  );
  return rows.map(({ data }) => data);
}

/** Since when the open alert is, microseconds. */
async function sinceOf(which: number): Promise<number | undefined> {
  const { rows } = await sql<{ since_us: number }>`
    select since_us from alerts where device_no = ${which} and closed_us is null`.execute(fixture.kysely);
  return rows[0]?.since_us;
}

test('three outages in 30 minutes, then Down for good: flapping, flapping and Down, Down; never Up while it is Down', async () => {
  await fixture.everybody();
  const web = await device(0);
  for (const from of [100, 400, 700]) {
    await goesDown(web, from);
    await comesUp(web, from + 180);
  }
  expect(await fixture.messages(web)).toEqual([
    'device.down',
    'device.up',
    'device.down',
    'device.up',
    'device.down',
    'device.flapping',
  ]);
  const [flaps] = await dataOf(web, 'device.flapping');
  expect(flaps).toMatchObject({ Outages: 3, Status: 'Up', Since: startUs + 101 * second });
  await goesDown(web, 1_000);
  await fixture.decide(1_060);
  expect(await fixture.messages(web)).toHaveLength(6);
  await fixture.decide(1_130);
  expect((await fixture.messages(web)).slice(6)).toEqual(['device.flapping']);
  const [, down] = await dataOf(web, 'device.flapping');
  expect(down).toMatchObject({ Outages: 4, Status: 'Down', DownSince: startUs + 1_001 * second });
  expect(await sinceOf(web)).toBe(startUs + 701 * second);
  for (let at = 1_190; at < 2_900; at += 60) await fixture.decide(at);
  expect((await fixture.messages(web)).slice(7)).toEqual(['device.down']);
  expect(await sinceOf(web)).toBe(startUs + 1_001 * second);
  await comesUp(web, 3_000);
  expect((await fixture.messages(web)).slice(8)).toEqual(['device.up']);
  const up = (await dataOf(web, 'device.up')).at(-1);
  expect(up).toMatchObject({
    Since: startUs + 3_001 * second,
    DownSince: startUs + 1_001 * second,
    Seconds: 2_000,
  });
});

test('a flapping ends with one message after 30 quiet minutes: outages and total seconds', async () => {
  const web = await device(4_000);
  for (const from of [4_100, 4_400, 4_700]) {
    await goesDown(web, from);
    await comesUp(web, from + 180);
  }
  await goesDown(web, 5_000);
  await comesUp(web, 5_090);
  for (let at = 5_150; at <= 7_000; at += 60) await fixture.decide(at);
  expect((await fixture.messages(web)).slice(5)).toEqual(['device.flapping', 'device.up']);
  const end = (await dataOf(web, 'device.up')).at(-1);
  expect(end).toMatchObject({ Outages: 4, Seconds: 3 * 180 + 90 });
  expect((await fixture.alerts(web)).every(({ closed_us }) => closed_us !== null)).toBe(true);
});

test('outages of three minutes reach a step with a delay of five as a flapping', async () => {
  await fixture.everybody({ DelayMinutes: 5 });
  const web = await device(8_000);
  for (let from = 8_100; from < 9_900; from += 360) {
    await goesDown(web, from);
    await fixture.decide(from + 120);
    await comesUp(web, from + 180);
  }
  const messages = await fixture.messages(web);
  expect(messages[0]).toBe('device.flapping');
  expect(messages).not.toContain('device.up');
});

test('an offline Location without a schedule of its own or the account notifies those of its devices, each contact once', async () => {
  const contactId = await fixture.everybody();
  const { kysely, recordEvents, accountNo } = fixture;
  await sql`update accounts set nschedule_no = null where account_no = ${accountNo}`.execute(kysely);
  const schedules = await kysely
    .selectFrom('nschedules')
    .select('nschedule_no')
    .where('account_no', '=', accountNo)
    .execute();
  const turin = await fixture.location('Turin');
  const steps = JSON.stringify([{ DelayMinutes: 0, Contacts: [contactId] }]);
  const { nschedule_no: otherNo } = await kysely
    .insertInto('nschedules')
    .values({ nschedule_id: newId(), account_no: accountNo, name: 'Other', steps })
    .returning('nschedule_no')
    .executeTakeFirstOrThrow();
  for (const nscheduleNo of [schedules.at(-1)?.nschedule_no, otherNo]) {
    const own = await fixture.device([turin]);
    await sql`update devices set nschedule_no = ${nscheduleNo} where device_no = ${own}`.execute(kysely);
  }
  const about = { accountNo, locationNo: turin.locationNo, locationName: 'Turin', sinceUs: startUs };
  const causes = [{ kind: 'location-offline', ...about, reason: 'it is gone', devices: 2 } as const];
  await kysely.transaction().execute((trx) => recordEvents(trx, causes, startUs + 11_000 * second));
  await fixture.decide(11_001);
  expect(await dataOf(null, 'location.offline')).toHaveLength(1);
});

test('a paused device closes its incident in PagerDuty with the reason, and people get nothing', async () => {
  const contactId = await fixture.everybody();
  const web = await device(12_000);
  await sql`update contacts set type = 'pagerduty' where contact_id = ${contactId}`.execute(fixture.kysely);
  await goesDown(web, 12_100);
  await sql`update devices set enabled = false where device_no = ${web}`.execute(fixture.kysely);
  await fixture.decide(12_200);
  expect(await fixture.messages(web)).toEqual(['device.down', 'closed']);
  expect(await dataOf(web, 'closed')).toMatchObject([{ Reason: 'device paused' }]);
});

test('a device that is Down again before its Up was decided goes on with the same alert: nobody hears Up while it is Down', async () => {
  const contactId = await fixture.everybody();
  const web = await device(14_000);
  await goesDown(web, 14_100);
  const [first] = await fixture.alerts(web);
  await sql`update alerts set acknowledged_us = 1, acknowledged_by = 'me' where alert_no = ${first?.alert_no}`.execute(
    fixture.kysely,
  );
  // The controller is killed before it decides: it finds both changes when it is back.
  await fixture.take([{ device: web, agent: place.agentNo, at: 14_280, code: 1, attempt: 0 }]);
  for (const attempt of [0, 1, 2])
    await fixture.take([{ device: web, agent: place.agentNo, at: 14_300 + 2 * attempt, code: 3, attempt }]);
  for (const at of [14_310, 14_500]) await fixture.decide(at);
  expect(await fixture.messages(web)).toEqual(['device.down', 'device.down']);
  expect(await fixture.alerts(web)).toMatchObject([
    {
      alert_id: first?.alert_id,
      closed_us: null,
      acknowledged_us: null,
      since_us: startUs + 14_301 * second,
    },
  ]);
  await comesUp(web, 14_700);
  expect((await fixture.messages(web)).slice(2)).toEqual(['device.up']);
  expect((await dataOf(web, 'device.up')).at(-1)).toMatchObject({
    Outages: 2,
    DownSince: startUs + 14_101 * second,
    Seconds: 180 + 400,
  });
  expect((await fixture.alerts(web))[0]?.state).toMatchObject({ notified: [contactId] });
});

test('an Up that waits and was never attempted is withdrawn when its device is Down again', async () => {
  const waiting = await fixture.everybody();
  const { kysely, accountNo } = fixture;
  const told = await fixture.everybody();
  const steps = JSON.stringify([{ DelayMinutes: 0, Contacts: [waiting, told] }]);
  await sql`update nschedules set steps = ${steps}::jsonb where nschedule_no = (
    select nschedule_no from accounts where account_no = ${accountNo})`.execute(kysely);
  const web = await device(16_000);
  await goesDown(web, 16_100);
  await comesUp(web, 16_280);
  const delivered = sql`update notifications n set state = 'Delivered', attempts = 1 from contacts c
    where c.contact_no = n.contact_no and c.contact_id = ${told}`;
  await delivered.execute(kysely);
  await goesDown(web, 16_400);
  const rows = async () => {
    const { rows: found } = await sql<{ kind: string; who: string; state: string }>`
      select n.kind, case c.contact_id when ${told} then 'told' else 'waiting' end as who, n.state
      from notifications n join alerts a using (alert_no) join contacts c using (contact_no)
      where a.device_no = ${web} order by n.notification_no`.execute(kysely);
    return found.map(({ kind, who, state }) => `${who} ${kind} ${state}`).sort();
  };
  expect(await rows()).toEqual([
    'told device.down Delivered',
    'told device.down Pending',
    'told device.up Delivered',
    'waiting device.down Pending',
    'waiting device.down Pending',
    'waiting device.up Withdrawn',
  ]);
  expect(await fixture.alerts(web)).toHaveLength(1);
  await comesUp(web, 16_700);
  expect((await rows()).filter((row) => row.includes('device.up Pending'))).toEqual([
    'told device.up Pending',
    'waiting device.up Pending',
  ]);
});

test('a Location that is offline again before anybody heard that it was online goes on with the same alert', async () => {
  await fixture.everybody();
  const { kysely, recordEvents, accountNo } = fixture;
  const ulm = await fixture.location('Ulm');
  await fixture.device([ulm]);
  const about = { accountNo, locationNo: ulm.locationNo, locationName: 'Ulm' };
  const offline = { kind: 'location-offline', ...about, sinceUs: startUs, reason: 'it is gone', devices: 1 };
  const record = (cause: object, at: number) =>
    kysely.transaction().execute((trx) => recordEvents(trx, [cause as never], startUs + at * second));
  await record(offline, 18_000);
  await fixture.decide(18_001);
  await record({ kind: 'location-online', ...about }, 18_100);
  await fixture.decide(18_101);
  await record(offline, 18_200);
  await fixture.decide(18_201);
  const { rows } = await sql<{ kind: string; state: string }>`
    select n.kind, n.state from notifications n join alerts a using (alert_no)
    where a.location_no = ${ulm.locationNo} order by n.notification_no`.execute(kysely);
  expect(rows).toEqual([
    { kind: 'location.offline', state: 'Pending' },
    { kind: 'location.online', state: 'Withdrawn' },
    { kind: 'location.offline', state: 'Pending' },
  ]);
});
