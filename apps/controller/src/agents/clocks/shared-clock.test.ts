import { hourMs } from '@vantage/domain';
import { createFakeClock } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSharedClock } from './shared-clock.ts';

function fixture() {
  const machine = createFakeClock();
  let sleptMs = 0;
  const shared = createSharedClock(machine, () => machine.monoMs() + sleptMs);
  const sleep = (ms: number) => {
    sleptMs += ms;
    machine.stepWall(ms);
  };
  return { machine, shared, sleep };
}

test.each([-hourMs, hourMs, 60 * 24 * hourMs, -60 * 24 * hourMs, 5_000])(
  "a step of the machine's clock by %s ms changes nothing",
  async (stepMs) => {
    const { machine, shared } = fixture();
    const beforeUs = shared.nowUs();
    machine.stepWall(stepMs);
    expect(shared.nowUs()).toBe(beforeUs);
    await machine.advance(32_000);
    expect(shared.nowUs()).toBe(beforeUs + 32_000_000);
    expect(shared.machineAheadUs).toBe(stepMs * 1000);
  },
);

test('the time that the machine slept is counted, also while its clock is wrong', () => {
  const { machine, shared, sleep } = fixture();
  machine.stepWall(-hourMs);
  const beforeUs = shared.nowUs();
  sleep(8 * hourMs);
  expect(shared.nowUs()).toBe(beforeUs + 8 * hourMs * 1000);
  expect(shared.machineAheadUs).toBe(-hourMs * 1000);
});

test('a minute takes ten minutes, and more is a step', async () => {
  const { machine, shared } = fixture();
  const errorUs = () => shared.machineAheadUs;
  shared.approach(-60_000_000);
  await machine.advance(300_000);
  expect(errorUs()).toBe(30_000_000);
  await machine.advance(900_000);
  expect(errorUs()).toBe(60_000_000);
  shared.approach(61_000_000);
  expect(errorUs()).toBe(-1_000_000);
});

test('property: it never goes back by less than a minute, runs at most a tenth too fast or slow, and arrives', async () => {
  const reading = fc.record({
    waitMs: fc.integer({ min: 0, max: 60_000 }),
    aheadUs: fc.integer({ min: -60_000_000, max: 60_000_000 }),
    machineMs: fc.integer({ min: -1e9, max: 1e9 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(reading, { maxLength: 10 }), async (readings) => {
      const { machine, shared } = fixture();
      let lastUs = shared.nowUs();
      for (const { waitMs, aheadUs, machineMs } of readings) {
        machine.stepWall(machineMs);
        shared.approach(aheadUs);
        machine.spend(waitMs);
        const nowUs = shared.nowUs();
        const passedUs = nowUs - lastUs;
        expect(Math.abs(passedUs - waitMs * 1000)).toBeLessThanOrEqual(waitMs * 100 + 2);
        lastUs = nowUs;
      }
      shared.approach(-12_345_678);
      machine.spend(200_000);
      expect(Math.abs(shared.nowUs() - lastUs - 200_000_000 + 12_345_678)).toBeLessThanOrEqual(2);
    }),
    { numRuns: 200 },
  );
});
