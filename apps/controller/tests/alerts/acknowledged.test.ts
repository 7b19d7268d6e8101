import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { acknowledge } from '../../src/alerts/decide/acknowledge.ts';
import { createAlertFixture } from '../../src/alerts/decide/testing/alert-fixture.ts';
import { second, startUs } from '../../src/results/status/testing/scenario.ts';

let fixture: Awaited<ReturnType<typeof createAlertFixture>>;
let place: { locationNo: number; agentNo: number };

beforeAll(async () => {
  fixture = await createAlertFixture();
  place = await fixture.location('Oslo');
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** The messages about a device that went Down, was acknowledged and came back; its contact has this type. */
async function messagesOf(
  type: string,
  from: number,
  notify: readonly string[] | null = ['device.down', 'device.up'],
) {
  const contact = await fixture.everybody({ RepeatMinutes: 1 }, notify);
  await fixture.kysely.updateTable('contacts').set({ type }).where('contact_id', '=', contact).execute();
  const device = await fixture.device([place]);
  const check = (at: number, code: number, attempt = 0) =>
    fixture.take([{ device, agent: place.agentNo, at, code, attempt }]);
  await check(from, 1);
  for (const attempt of [0, 1, 2]) await check(from + 10 + 2 * attempt, 3, attempt);
  await fixture.decide(from + 20);
  const [alert] = await fixture.alerts(device);
  const { accountNo } = fixture;
  const ask = { accountNo, alertId: alert?.alert_id ?? '', by: 'deploy', note: 'on it' };
  for (const at of [from + 30, from + 40]) {
    await acknowledge(fixture.kysely, { ...ask, nowUs: startUs + at * second });
    await fixture.decide(at);
  }
  await fixture.decide(from + 200);
  await check(from + 300, 1);
  await fixture.decide(from + 310);
  return { kinds: await fixture.messages(device), alertNo: alert?.alert_no ?? 0 };
}

test('a system that keeps incidents is notified of the acknowledgement, once and between begin and end', async () => {
  const { kinds, alertNo } = await messagesOf('pagerduty', 1_000);
  expect(kinds).toEqual(['device.down', 'acknowledged', 'device.up']);
  const rows = await fixture.kysely
    .selectFrom('notifications')
    .select(['kind', 'data', 'order_key'])
    .where('alert_no', '=', alertNo)
    .orderBy('notification_no')
    .execute();
  expect(new Set(rows.map(({ order_key }) => order_key)).size).toBe(1);
  expect(rows[1]?.data).toMatchObject({ By: 'deploy', Note: 'on it', alert_id: expect.any(String) });
});

test('a chat that was notified hears who acknowledged, once, where Notify does not leave it out; mail does not', async () => {
  expect((await messagesOf('slack', 3_000, null)).kinds).toEqual([
    'device.down',
    'acknowledged',
    'device.up',
  ]);
  const notify = ['device.down', 'device.up', 'acknowledged'];
  expect((await messagesOf('matrix', 5_000, notify)).kinds).toEqual([
    'device.down',
    'acknowledged',
    'device.up',
  ]);
  expect((await messagesOf('slack', 7_000)).kinds).toEqual(['device.down', 'device.up']);
  expect((await messagesOf('email', 9_000, null)).kinds).toEqual(['device.down', 'device.up']);
});

test('the event of an alert names no Location of its own: that of a device is the Location of the check', async () => {
  const { alertNo } = await messagesOf('email', 11_000, null);
  const { rows } = await sql<{ type: string; of_event: number | null; of_alert: number | null }>`
    select e.type, e.location_no as of_event, a.location_no as of_alert
    from events e join alerts a using (device_no) where a.alert_no = ${alertNo} and e.type = 'Alert'`.execute(
    fixture.kysely,
  );
  expect(rows).toEqual([{ type: 'Alert', of_event: null, of_alert: place.locationNo }]);
});
