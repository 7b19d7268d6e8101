import { expect, test } from 'vitest';
import { measured } from '../testing/measurements.ts';
import { createUplinkFixture } from '../testing/uplink-fixture.ts';

test('the agent waits ten seconds for references that hang, then the errors become 10', async () => {
  const { clock, uplink, judge } = createUplinkFixture({ answers: {} });
  await uplink.confirm(5, measured(1));
  const verdict = judge(1, measured(2));
  await clock.advance(9900);
  expect(verdict.code).toBeUndefined();
  await clock.advance(200);
  expect(verdict.code).toBe(10);
});

test.each([
  ['answers', measured(1), 2],
  ['hangs', undefined, 10],
] as const)(
  'a reference whose check the agent cannot start for a minute says nothing; then it %s',
  async (_what, answer, code) => {
    const { clock, uplink, judge } = createUplinkFixture({
      busyMs: 60_000,
      answers: answer ? { 5: answer } : {},
    });
    await uplink.confirm(5, measured(1));
    const verdict = judge(1, measured(2));
    await clock.advance(59_000);
    expect([verdict.code, uplink.isOnline]).toEqual([undefined, true]);
    await clock.advance(12_000);
    expect(verdict.code).toBe(code);
  },
);

test('a reference that is removed before its check starts is no longer waited for', async () => {
  const { clock, uplink, judge } = createUplinkFixture({ busyMs: 60_000 });
  await uplink.confirm(5, measured(1));
  const verdict = judge(1, measured(2));
  uplink.prune(() => false);
  await clock.advance(1);
  expect(verdict.code).toBe(10);
});

test('when the stream ends while the agent waits for the controller, it checks references at once', async () => {
  const { clock, uplink, judge, checked } = createUplinkFixture({
    isConnected: true,
    answers: { 5: measured(1) },
  });
  await uplink.confirm(5, measured(1));
  const verdict = judge(1, measured(2));
  await clock.advance(10);
  uplink.disconnected();
  await clock.advance(60);
  expect(checked).toEqual([5]);
  expect(verdict.code).toBe(2);
});

test('while offline, the rounds of references are two seconds apart', async () => {
  const { clock, uplink, judge, checked } = createUplinkFixture({
    answers: { 5: measured(2), 6: measured(2), 7: measured(2), 8: measured(2) },
  });
  for (const deviceNo of [5, 6, 7, 8]) await uplink.confirm(deviceNo, measured(1));
  judge(1, measured(2));
  await clock.advance(200);
  expect(checked.length).toBe(3);
  judge(2, measured(2));
  await clock.advance(1500);
  expect(checked.length).toBe(3);
  await clock.advance(1000);
  expect(checked.length).toBe(4);
});

test('devices that are no longer assigned are no references: others are checked in their place', async () => {
  const { clock, uplink, judge, checked } = createUplinkFixture({
    gone: [6, 7, 8],
    answers: { 5: measured(1) },
  });
  for (const deviceNo of [5, 6, 7, 8]) await uplink.confirm(deviceNo, measured(1));
  const verdict = judge(1, measured(2));
  await clock.advance(100);
  expect(checked).toEqual([5]);
  expect(verdict.code).toBe(2);
  const pruned = createUplinkFixture({ answers: { 5: measured(1) } });
  for (const deviceNo of [5, 6, 7, 8]) await pruned.uplink.confirm(deviceNo, measured(1));
  pruned.uplink.prune((deviceNo) => deviceNo === 5);
  pruned.judge(1, measured(2));
  await pruned.clock.advance(1);
  expect(pruned.checked).toEqual([5]);
});
