import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAlertFixture } from '../../src/alerts/decide/testing/alert-fixture.ts';

type AlertFixture = Awaited<ReturnType<typeof createAlertFixture>>;
let scenes: readonly AlertFixture[] = [];

beforeAll(async () => {
  scenes = [await createAlertFixture(), await createAlertFixture()];
});
afterAll(async () => {
  for (const fixture of scenes) await fixture[Symbol.asyncDispose]();
});

/** Outages of a master and its dependent with repeats, and a slow device; returns all that was decided. */
async function play(fixture: AlertFixture, isShadow: boolean) {
  const place = await fixture.location('Oslo');
  await fixture.everybody({ RepeatMinutes: 5 });
  await fixture.kysely.updateTable('contacts').set({ shadow: isShadow }).execute();
  const [master, dependent, slow] = [
    await fixture.device([place]),
    await fixture.device([place]),
    await fixture.device([place]),
  ];
  await fixture.behind(dependent, master);
  const check = (device: number, at: number, code: number, attempt = 0, isSlow = false) =>
    fixture.take([{ device, agent: place.agentNo, at, code, attempt, isSlow }]);
  for (const device of [master, dependent, slow]) await check(device, 10, 1);
  for (const device of [master, dependent])
    for (const attempt of [0, 1, 2])
      await check(device, 100 + 2 * attempt + (device === master ? 0 : 1), 3, attempt);
  for (const at of [100, 160, 220]) await check(slow, at, 1, 0, true);
  for (const at of [225, 300, 600, 900]) await fixture.decide(at);
  await check(master, 910, 1);
  await check(dependent, 911, 1);
  for (const at of [920, 1_000]) await fixture.decide(at);
  const rows = await fixture.kysely
    .selectFrom('notifications as n')
    .innerJoin('alerts as a', 'a.alert_no', 'n.alert_no')
    .select(['n.kind', 'n.severity', 'n.at_us', 'n.state', 'a.kind as of', 'a.reason', 'a.closed_us'])
    .orderBy('n.notification_no')
    .execute();
  const events = await fixture.kysely
    .selectFrom('events')
    .select(['type', 'status', 'message', 'at_us'])
    .orderBy('event_no')
    .execute();
  const decided = rows.map(({ kind, severity, at_us, of, reason, closed_us }) => {
    return { kind, severity, at_us, of, reason, closed_us };
  });
  return { decided, states: rows.map(({ state }) => state), events };
}

test('in shadow the same is decided and recorded, and nothing waits to be sent', async () => {
  const [real, shadow] = scenes;
  if (real === undefined || shadow === undefined) throw new Error('two scenes are needed');
  const sent = await play(real, false);
  const recorded = await play(shadow, true);
  expect(recorded.events).toEqual(sent.events);
  expect(recorded.decided).toEqual(sent.decided);
  expect(new Set(sent.decided.map(({ kind }) => kind))).toEqual(
    new Set(['device.down', 'device.up', 'device.slow']),
  );
  expect(new Set(recorded.states)).toEqual(new Set(['Shadow']));
  expect(new Set(sent.states)).not.toContain('Shadow');
});
