import type { Measurement } from '@vantage/probes';
import { expect, test } from 'vitest';
import { measured } from '../testing/measurements.ts';
import { createUplinkFixture } from '../testing/uplink-fixture.ts';

test('an error inside the own subnets stays an error, with and without a controller', async () => {
  const { uplink } = createUplinkFixture();
  for (const address of ['10.0.0.9', '127.0.0.1', '::1']) {
    expect((await uplink.confirm(1, measured(2, [address]))).code).toBe(2);
  }
});

test('while the controller answers, an error of a remote target is confirmed after one heartbeat', async () => {
  const { clock, judge } = createUplinkFixture({ isConnected: true, replies: true });
  const verdict = judge(1, measured(2));
  await clock.advance(10);
  expect(verdict.code).toBeUndefined();
  await clock.advance(20);
  expect(verdict.code).toBe(2);
});

test('the uplink is dead and the stream still open: errors become 10, though devices were good a moment before', async () => {
  const { clock, uplink, judge, checked } = createUplinkFixture({
    isConnected: true,
    answers: { 5: measured(2), 6: measured(3) },
  });
  await uplink.confirm(5, measured(1));
  await uplink.confirm(6, measured(1));
  const verdict = judge(1, measured(2));
  await clock.advance(4900);
  expect(verdict.code).toBeUndefined();
  await clock.advance(5000);
  expect(checked.toSorted((a, b) => a - b)).toEqual([5, 6]);
  expect(verdict.code).toBe(10);
  expect(verdict.text).toContain('uplink dead');
  expect(uplink.offlineReason).toContain('uplink dead');
});

test('only the controller is cut off: the error of a device stays an error while other remote targets answer', async () => {
  const { clock, uplink, judge } = createUplinkFixture({ answers: { 5: measured(1) } });
  await uplink.confirm(5, measured(1));
  const verdict = judge(1, measured(2));
  await clock.advance(100);
  expect(verdict.code).toBe(2);
  expect(uplink.offlineReason).toBe('');
});

test('the controller is cut off and no remote device was good: an error of a remote target becomes 10', async () => {
  const { clock, judge } = createUplinkFixture();
  const verdict = judge(1, measured(5, []));
  await clock.advance(1);
  expect(verdict.code).toBe(10);
});

test('a refused connection does not prove that the uplink works, an answer with bytes does', async () => {
  const { clock, judge, uplink } = createUplinkFixture({ answers: { 5: measured(3), 6: measured(7) } });
  await uplink.confirm(5, measured(1));
  const dead = judge(1, measured(3));
  await clock.advance(200);
  expect(dead.code).toBe(10);
  await uplink.confirm(6, measured(1));
  expect(uplink.offlineReason).toBe('');
  const alive = judge(1, measured(3));
  await clock.advance(5000);
  expect(alive.code).toBe(3);
  expect((await uplink.confirm(2, measured(3, ['192.0.2.1'], { dataSize: 5 }))).code).toBe(3);
});

test('an error of a check that began while the agent was offline is 10 also when it ends after that, and the device is checked again', async () => {
  const { clock, judge, uplink, unchecked } = createUplinkFixture({ answers: { 5: measured(1) } });
  judge(1, measured(2));
  await clock.advance(1000);
  await uplink.confirm(5, measured(1));
  const [during, after] = [judge(2, measured(2), 100), judge(3, measured(2))];
  await clock.advance(5000);
  expect([during.code, after.code, unchecked]).toEqual([10, 2, [1, 2]]);
});

test('the agent is online again with the first answer of a remote host; an error postponed at that time becomes 10', async () => {
  const { clock, uplink, judge, onlineAgain } = createUplinkFixture();
  judge(1, measured(2));
  await clock.advance(1);
  expect(uplink.offlineReason).toContain('uplink dead');
  const late = judge(3, measured(2));
  await uplink.confirm(2, measured(1));
  await clock.advance(1);
  expect(late.code).toBe(10);
  expect(onlineAgain()).toBe(1);
  expect(uplink.offlineReason).toBe('');
});

test.each([9, 10] as const)('a result with code %i stays unchanged', async (code) => {
  expect((await createUplinkFixture().uplink.confirm(1, measured(code))).code).toBe(code);
});

test('when the agent is online again, it names the devices whose errors became 10, so that they are checked soon', async () => {
  const { clock, uplink, judge, unchecked } = createUplinkFixture();
  judge(1, measured(2));
  judge(3, measured(5, []));
  await clock.advance(3000);
  judge(4, measured(2));
  uplink.controllerAnswered();
  expect(unchecked).toEqual([1, 3, 4]);
  await clock.advance(10);
  judge(1, measured(2));
  await clock.advance(3000);
  uplink.controllerAnswered();
  expect(unchecked).toEqual([1, 3, 4, 1]);
});

type Reference = 'none' | 'up' | 'down' | 'refuses' | 'hangs';

const referenceAnswers: Record<Exclude<Reference, 'none' | 'hangs'>, Measurement> = {
  up: measured(1),
  down: measured(2),
  refuses: measured(3),
};

/** Every case of the rule, each with its verdict. */
const cases = (['away', 'silent', 'answers'] as const).flatMap((controller) =>
  (['none', 'up', 'down', 'refuses', 'hangs'] as const).flatMap((reference) =>
    (
      [
        ['no answer', measured(2), 'beyond'],
        ['refused', measured(3), 'beyond'],
        ['name not resolved', measured(5, []), 'beyond'],
        ['script failed', measured(4), 'beyond'],
        ['reset after bytes', measured(3, ['192.0.2.1'], { dataSize: 5 }), 'answered'],
        ['TLS', measured(6), 'answered'],
        ['not as expected', measured(7), 'answered'],
        ['login refused', measured(8), 'answered'],
        ['own subnet', measured(2, ['10.0.0.9']), 'own'],
        ['own subnet over IPv6', measured(2, ['::1']), 'own'],
        ['first address own, second beyond', measured(2, ['10.0.0.9', '192.0.2.1']), 'beyond'],
      ] as const
    ).map(([name, seen, place]) => ({ controller, reference, name, seen, place })),
  ),
);

test.each(cases)(
  'controller $controller, another target: $reference, this one: $name',
  async ({ controller, reference, seen, place }) => {
    const answer = reference === 'none' || reference === 'hangs' ? undefined : referenceAnswers[reference];
    const { clock, uplink, judge } = createUplinkFixture({
      isConnected: controller !== 'away',
      replies: controller === 'answers',
      answers: answer ? { 5: answer } : {},
    });
    if (reference !== 'none') await uplink.confirm(5, measured(1));
    const verdict = judge(1, seen);
    await clock.advance(20_000);
    const stands = place !== 'beyond' || controller === 'answers' || reference === 'up';
    expect(verdict.code).toBe(stands ? seen.code : 10);
    expect(uplink.offlineReason === '').toBe(stands);
  },
);
