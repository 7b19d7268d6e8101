import { createFakeClock } from '@vantage/kernel/testing';
import type { Measurement } from '@vantage/probes';
import { expect, test } from 'vitest';
import { ownNetworksOf } from './beyond.ts';
import { measured } from './testing/measurements.ts';
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
function stage(
  more: { isConnected?: boolean; replies?: boolean; answers?: Record<number, Measurement> } = {},
) {
  const clock = createFakeClock();
  const looked: number[] = [];
  const sights: number[] = [];
  const state = { isConnected: false, replies: false, answers: {}, ...more };
  const uplink = createUplink({
    clock,
    onSight: (fromMs) => void sights.push(fromMs),
    ownNetworks: () => own,
    ask() {
      if (state.isConnected && state.replies) clock.timer(20, () => uplink.heard());
      return state.isConnected;
    },
    look(deviceNo) {
      looked.push(deviceNo);
      const answer = state.answers[deviceNo];
      if (answer !== undefined) clock.timer(50, () => void uplink.judge(deviceNo, answer));
    },
  });
  const judge = (deviceNo: number, measurement: Measurement) => {
    const verdict: { code?: number; text?: string } = {};
    void uplink.judge(deviceNo, measurement).then((judged) => Object.assign(verdict, judged));
    return verdict;
  };
  return { clock, uplink, looked, sights, state, judge };
}

test('an error inside the own subnets stands, cut off or not', async () => {
  const { uplink } = stage();
  for (const address of ['10.0.0.9:80', '127.0.0.1:80', '[::1]:80']) {
    expect((await uplink.judge(1, measured(2, address))).code).toBe(2);
  }
});

test('while the controller answers, an error beyond stands after one heartbeat', async () => {
  const { clock, judge } = stage({ isConnected: true, replies: true });
  const verdict = judge(1, measured(2));
  await clock.advance(10);
  expect(verdict.code).toBeUndefined();
  await clock.advance(20);
  expect(verdict.code).toBe(2);
});

test('uplink dead, and the stream not known to be dead yet: errors become 10, whatever was well a moment ago', async () => {
  const { clock, uplink, judge, looked } = stage({
    isConnected: true,
    answers: { 5: measured(2), 6: measured(3) },
  });
  await uplink.judge(5, measured(1));
  await uplink.judge(6, measured(1));
  const verdict = judge(1, measured(2));
  await clock.advance(4900);
  expect(verdict.code).toBeUndefined();
  await clock.advance(5000);
  expect(looked.toSorted((a, b) => a - b)).toEqual([5, 6]);
  expect(verdict.code).toBe(10);
  expect(verdict.text).toContain('uplink dead');
  expect(uplink.blindReason).toContain('uplink dead');
});

test('cut off from the controller only: a device that dies while others beyond answer is told as it is', async () => {
  const { clock, uplink, judge } = stage({ answers: { 5: measured(1) } });
  await uplink.judge(5, measured(1));
  const verdict = judge(1, measured(2));
  await clock.advance(100);
  expect(verdict.code).toBe(2);
  expect(uplink.blindReason).toBe('');
});

test('cut off and nothing beyond was well: an error beyond is a 10', async () => {
  const { clock, judge } = stage();
  const verdict = judge(1, measured(5, ''));
  await clock.advance(1);
  expect(verdict.code).toBe(10);
});

test('a connection refused is no proof of the uplink, an answer with bytes is', async () => {
  const { clock, judge, uplink } = stage({ answers: { 5: measured(3), 6: measured(7) } });
  await uplink.judge(5, measured(1));
  const dead = judge(1, measured(3));
  await clock.advance(200);
  expect(dead.code).toBe(10);
  await uplink.judge(6, measured(1));
  expect(uplink.blindReason).toBe('');
  const alive = judge(1, measured(3));
  await clock.advance(5000);
  expect(alive.code).toBe(3);
  expect((await uplink.judge(2, measured(3, '192.0.2.1:80', { dataSize: 5 }))).code).toBe(3);
});

test('witnesses that hang are waited for ten seconds, then the errors are 10', async () => {
  const { clock, uplink, judge } = stage({ answers: {} });
  await uplink.judge(5, measured(1));
  const verdict = judge(1, measured(2));
  await clock.advance(9900);
  expect(verdict.code).toBeUndefined();
  await clock.advance(200);
  expect(verdict.code).toBe(10);
});

test('the stream ends while the controller is asked: witnesses are called at once', async () => {
  const { clock, uplink, judge, looked } = stage({ isConnected: true, answers: { 5: measured(1) } });
  await uplink.judge(5, measured(1));
  const verdict = judge(1, measured(2));
  await clock.advance(10);
  uplink.cut();
  await clock.advance(60);
  expect(looked).toEqual([5]);
  expect(verdict.code).toBe(2);
});

test('it sees again with the first answer from beyond; an error held just then is still a 10', async () => {
  const { clock, uplink, judge, sights } = stage();
  judge(1, measured(2));
  await clock.advance(1);
  expect(uplink.blindFromMs).toBe(0);
  const late = judge(3, measured(2));
  await uplink.judge(2, measured(1));
  await clock.advance(1);
  expect(late.code).toBe(10);
  expect(sights).toEqual([0]);
  expect(uplink.blindFromMs).toBeUndefined();
  expect(uplink.blindReason).toBe('');
});

test('while blind, rounds of witnesses are two seconds apart', async () => {
  const { clock, uplink, judge, looked } = stage({
    answers: { 5: measured(2), 6: measured(2), 7: measured(2), 8: measured(2) },
  });
  for (const deviceNo of [5, 6, 7, 8]) await uplink.judge(deviceNo, measured(1));
  judge(1, measured(2));
  await clock.advance(200);
  expect(looked.length).toBe(3);
  judge(2, measured(2));
  await clock.advance(1500);
  expect(looked.length).toBe(3);
  await clock.advance(1000);
  expect(looked.length).toBe(4);
});

test.each([
  ['9 and 10 pass', 10],
  ['9 and 10 pass', 9],
] as const)('%s as they are (%i)', async (_name, code) => {
  expect((await stage().uplink.judge(1, measured(code))).code).toBe(code);
});
