import { create } from '@bufbuild/protobuf';
import { createFakeClock } from '@vantage/kernel/testing';
import { type ClockRecord, HeartbeatReplySchema } from '@vantage/proto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAgentTime } from './agent-time.ts';
import { createClockSync, nextOffset, sampleOf, withSample } from './clock-sync.ts';

test('four timestamps give the offset to within half the round trip, however long each direction takes', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -3_600_000_000, max: 3_600_000_000 }),
      fc.nat(500_000),
      fc.nat(500_000),
      fc.nat(100_000),
      (offsetUs, thereUs, backUs, restUs) => {
        const sent = 1_700_000_000_000_000;
        const received = sent + thereUs + offsetUs;
        const replied = received + restUs;
        const back = replied + backUs - offsetUs;
        const sample = sampleOf(sent, received, replied, back);
        expect(Math.abs(sample.offsetUs - offsetUs)).toBeLessThanOrEqual(sample.roundTripUs / 2 + 1);
        expect(sample.roundTripUs).toBe(thereUs + backUs);
      },
    ),
  );
});

test('the shortest round trip of the last eight counts', () => {
  const slow = { offsetUs: 40_000, roundTripUs: 100_000 };
  const fast = { offsetUs: 5000, roundTripUs: 2000 };
  let samples = withSample([], fast);
  for (let i = 0; i < 7; i += 1) samples = withSample(samples, slow);
  expect(nextOffset(samples, undefined)).toEqual(fast);
  samples = withSample(samples, slow);
  expect(nextOffset(samples, undefined)).toEqual(slow);
});

test('a difference within the error of the measurement changes nothing', () => {
  expect(nextOffset([{ offsetUs: 10_000, roundTripUs: 30_000 }], 0)).toBeUndefined();
  expect(nextOffset([{ offsetUs: 16_000, roundTripUs: 30_000 }], 0)).toBeDefined();
  expect(nextOffset([{ offsetUs: 900, roundTripUs: 10 }], 0)).toBeUndefined();
});

test('the agent follows a clock step at once, not after eight samples', () => {
  const samples = withSample([{ offsetUs: 0, roundTripUs: 100 }], {
    offsetUs: 3_600_000_000,
    roundTripUs: 5000,
  });
  expect(nextOffset(samples, 0)?.offsetUs).toBe(3_600_000_000);
});

test('the offset in force moves the corrected clock and is recorded; a step of the wall clock has no effect', () => {
  const clock = createFakeClock();
  const time = createAgentTime({ clock, upMs: () => clock.monoMs(), wallOffsetUs: 0 });
  const records: ClockRecord[] = [];
  const sync = createClockSync({ time, isKnown: false, onOffset: (record) => records.push(record) });
  const at = time.rawUs();
  sync.reply(
    create(HeartbeatReplySchema, {
      agentSentUs: BigInt(at),
      receivedUs: BigInt(at + 5_000_000),
      sentUs: BigInt(at + 5_000_000),
    }),
  );
  expect(time.nowUs() - time.rawUs()).toBe(5_000_000);
  expect(records).toMatchObject([{ offsetUs: 5_000_000n, atUs: BigInt(at + 5_000_000) }]);
  clock.stepWall(3_600_000);
  expect(time.nowUs()).toBe(at + 5_000_000);
  expect(time.wallOffsetUs()).toBe(5_000_000 - 3_600_000_000);
});

test('time slept is added to the clock once', () => {
  const clock = createFakeClock();
  let sleptMs = 0;
  const time = createAgentTime({ clock, upMs: () => clock.monoMs() + sleptMs, wallOffsetUs: 0 });
  const before = time.nowUs();
  sleptMs = 10;
  expect(time.detectSleep()).toBe(0);
  sleptMs = 60_000;
  expect(time.detectSleep()).toBe(60_000);
  expect(time.detectSleep()).toBe(0);
  expect(time.nowUs() - before).toBe(60_000_000);
});
