import { createFakeClock } from '@vantage/kernel/testing';
import type { Measurement } from '@vantage/probes';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { measured } from '../testing/measurements.ts';
import { ownNetworksOf } from './reachability.ts';
import { createUplink } from './uplink.ts';

const own = ownNetworksOf({
  eth0: [
    {
      address: '10.0.0.5',
      netmask: '255.255.255.0',
      family: 'IPv4',
      mac: '',
      internal: false,
      cidr: '10.0.0.5/24',
    },
  ],
});

/** An uplink with a controller that answers heartbeats or not, and devices that witnesses find as `answers` says. */
function createFixture(
  more: {
    isConnected?: boolean;
    replies?: boolean;
    answers?: Record<number, Measurement>;
    /** Devices that are no longer assigned. */
    gone?: readonly number[];
    /** So much later the agent can start the check of a witness. */
    busyMs?: number;
  } = {},
) {
  const clock = createFakeClock();
  const checked: number[] = [];
  let onlineAgain = 0;
  const unchecked: number[] = [];
  const state = { isConnected: false, replies: false, answers: {}, gone: [], busyMs: 0, ...more };
  const uplink = createUplink({
    clock,
    onOnlineAgain(missed) {
      onlineAgain += 1;
      unchecked.push(...missed);
    },
    ownNetworks: () => own,
    judgeByAnchors: () => undefined,
    sendHeartbeat() {
      if (state.isConnected && state.replies) clock.timer(20, () => uplink.controllerAnswered());
      return state.isConnected;
    },
    runNow(deviceNo, onStart) {
      if (state.gone.includes(deviceNo)) return false;
      checked.push(deviceNo);
      const start = () => {
        onStart();
        const answer = state.answers[deviceNo];
        if (answer !== undefined) clock.timer(50, () => void uplink.confirm(deviceNo, answer));
      };
      if (state.busyMs === 0) start();
      else clock.timer(state.busyMs, start);
      return true;
    },
  });
  const judge = (deviceNo: number, measurement: Measurement, begunMs = clock.monoMs()) => {
    const verdict: { code?: number; text?: string } = {};
    void Promise.resolve(uplink.confirm(deviceNo, measurement, begunMs)).then((judged) =>
      Object.assign(verdict, judged),
    );
    return verdict;
  };
  return { clock, uplink, checked, onlineAgain: () => onlineAgain, unchecked, state, judge };
}

test('an error inside the own subnets stays an error, with and without a controller', async () => {
  const { uplink } = createFixture();
  for (const address of ['10.0.0.9', '127.0.0.1', '::1']) {
    expect((await uplink.confirm(1, measured(2, [address]))).code).toBe(2);
  }
});

test('while the controller answers, an error of a remote target is confirmed after one heartbeat', async () => {
  const { clock, judge } = createFixture({ isConnected: true, replies: true });
  const verdict = judge(1, measured(2));
  await clock.advance(10);
  expect(verdict.code).toBeUndefined();
  await clock.advance(20);
  expect(verdict.code).toBe(2);
});

test('the uplink is dead and the stream still open: errors become 10, though devices were good a moment before', async () => {
  const { clock, uplink, judge, checked } = createFixture({
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
  const { clock, uplink, judge } = createFixture({ answers: { 5: measured(1) } });
  await uplink.confirm(5, measured(1));
  const verdict = judge(1, measured(2));
  await clock.advance(100);
  expect(verdict.code).toBe(2);
  expect(uplink.offlineReason).toBe('');
});

test('the controller is cut off and no remote device was good: an error of a remote target becomes 10', async () => {
  const { clock, judge } = createFixture();
  const verdict = judge(1, measured(5, []));
  await clock.advance(1);
  expect(verdict.code).toBe(10);
});

test('a refused connection does not prove that the uplink works, an answer with bytes does', async () => {
  const { clock, judge, uplink } = createFixture({ answers: { 5: measured(3), 6: measured(7) } });
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
  const { clock, judge, uplink, unchecked } = createFixture({ answers: { 5: measured(1) } });
  judge(1, measured(2));
  await clock.advance(1000);
  await uplink.confirm(5, measured(1));
  const [during, after] = [judge(2, measured(2), 100), judge(3, measured(2))];
  await clock.advance(5000);
  expect([during.code, after.code, unchecked]).toEqual([10, 2, [1, 2]]);
});

test('the agent waits ten seconds for witnesses that hang, then the errors become 10', async () => {
  const { clock, uplink, judge } = createFixture({ answers: {} });
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
  'a witness whose check the agent cannot start for a minute says nothing; then it %s',
  async (_what, answer, code) => {
    const { clock, uplink, judge } = createFixture({ busyMs: 60_000, answers: answer ? { 5: answer } : {} });
    await uplink.confirm(5, measured(1));
    const verdict = judge(1, measured(2));
    await clock.advance(59_000);
    expect([verdict.code, uplink.isOnline]).toEqual([undefined, true]);
    await clock.advance(12_000);
    expect(verdict.code).toBe(code);
  },
);

test('a witness that is removed before its check starts is waited for no more', async () => {
  const { clock, uplink, judge } = createFixture({ busyMs: 60_000 });
  await uplink.confirm(5, measured(1));
  const verdict = judge(1, measured(2));
  uplink.prune(() => false);
  await clock.advance(1);
  expect(verdict.code).toBe(10);
});

test('when the stream ends while the agent waits for the controller, it checks witnesses at once', async () => {
  const { clock, uplink, judge, checked } = createFixture({ isConnected: true, answers: { 5: measured(1) } });
  await uplink.confirm(5, measured(1));
  const verdict = judge(1, measured(2));
  await clock.advance(10);
  uplink.disconnected();
  await clock.advance(60);
  expect(checked).toEqual([5]);
  expect(verdict.code).toBe(2);
});

test('the agent is online again with the first answer of a remote host; an error held at that moment becomes 10', async () => {
  const { clock, uplink, judge, onlineAgain } = createFixture();
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

test('while offline, the rounds of witnesses are two seconds apart', async () => {
  const { clock, uplink, judge, checked } = createFixture({
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

test.each([9, 10] as const)('a result with code %i stays unchanged', async (code) => {
  expect((await createFixture().uplink.confirm(1, measured(code))).code).toBe(code);
});

test('devices that are no longer assigned are no witnesses: others are checked in their place', async () => {
  const { clock, uplink, judge, checked } = createFixture({ gone: [6, 7, 8], answers: { 5: measured(1) } });
  for (const deviceNo of [5, 6, 7, 8]) await uplink.confirm(deviceNo, measured(1));
  const verdict = judge(1, measured(2));
  await clock.advance(100);
  expect(checked).toEqual([5]);
  expect(verdict.code).toBe(2);
  const pruned = createFixture({ answers: { 5: measured(1) } });
  for (const deviceNo of [5, 6, 7, 8]) await pruned.uplink.confirm(deviceNo, measured(1));
  pruned.uplink.prune((deviceNo) => deviceNo === 5);
  pruned.judge(1, measured(2));
  await pruned.clock.advance(1);
  expect(pruned.checked).toEqual([5]);
});

test('when the agent is online again, it names the devices whose errors became 10, so that they are checked soon', async () => {
  const { clock, uplink, judge, unchecked } = createFixture();
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

type Witness = 'none' | 'up' | 'down' | 'refuses' | 'hangs';
const witnessAnswers: Record<Exclude<Witness, 'none' | 'hangs'>, Measurement> = {
  up: measured(1),
  down: measured(2),
  refuses: measured(3),
};

/** Every case of the rule, each with its verdict. */
const cases = (['away', 'silent', 'answers'] as const).flatMap((controller) =>
  (['none', 'up', 'down', 'refuses', 'hangs'] as const).flatMap((witness) =>
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
    ).map(([name, seen, place]) => ({ controller, witness, name, seen, place })),
  ),
);

test.each(cases)(
  'controller $controller, another target: $witness, this one: $name',
  async ({ controller, witness, seen, place }) => {
    const answer = witness === 'none' || witness === 'hangs' ? undefined : witnessAnswers[witness];
    const { clock, uplink, judge } = createFixture({
      isConnected: controller !== 'away',
      replies: controller === 'answers',
      answers: answer ? { 5: answer } : {},
    });
    if (witness !== 'none') await uplink.confirm(5, measured(1));
    const verdict = judge(1, seen);
    await clock.advance(20_000);
    const stands = place !== 'beyond' || controller === 'answers' || witness === 'up';
    expect(verdict.code).toBe(stands ? seen.code : 10);
    expect(uplink.offlineReason === '').toBe(stands);
  },
);

test('in any order of events a verdict comes within 20 s, a dead uplink never makes an error, and a working one never hides an error', async () => {
  const happening = fc.record({
    afterMs: fc.integer({ min: 1, max: 8000 }),
    what: fc.oneof(
      fc.record({ kind: fc.constant('error' as const), deviceNo: fc.integer({ min: 1, max: 6 }) }),
      fc.record({ kind: fc.constant('fine' as const), deviceNo: fc.integer({ min: 1, max: 6 }) }),
      fc.record({ kind: fc.constant('cut' as const) }),
      fc.record({ kind: fc.constant('removed' as const), deviceNo: fc.integer({ min: 1, max: 6 }) }),
    ),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { maxLength: 12 }), fc.boolean(), async (happenings, isAlive) => {
      const { clock, uplink, judge, state } = createFixture({ isConnected: true, replies: isAlive });
      const verdicts: { code?: number }[] = [];
      for (const { afterMs, what } of happenings) {
        await clock.advance(afterMs);
        if (what.kind === 'error') verdicts.push(judge(what.deviceNo, measured(2)));
        else if (what.kind === 'fine') {
          // Behind a dead uplink nothing beyond is fine.
          if (isAlive) await uplink.confirm(what.deviceNo, measured(1));
        } else if (what.kind === 'cut') {
          // Of a living way only the stream may end; alone and cut off, an error is a 10 by the rule (cases above).
          if (isAlive) continue;
          state.isConnected = false;
          uplink.disconnected();
        } else uplink.prune((deviceNo) => deviceNo !== what.deviceNo);
      }
      await clock.advance(20_000);
      expect(verdicts.map(({ code }) => code)).toEqual(verdicts.map(() => (isAlive ? 2 : 10)));
      expect(uplink.unconfirmedFromMs).toBeUndefined();
    }),
    { numRuns: 150 },
  );
});
