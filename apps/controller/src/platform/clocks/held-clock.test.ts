import { createFakeClock } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHeldClock } from './held-clock.ts';

const hourMs = 3_600_000;

function fixture() {
  const clock = createFakeClock();
  let sleptMs = 0;
  const held = createHeldClock(clock, () => clock.monoMs() + sleptMs);
  const sleep = (ms: number) => {
    sleptMs += ms;
  };
  return { clock, held, sleep };
}

test.each([-hourMs, hourMs, 60 * 24 * hourMs, -60 * 24 * hourMs])(
  'a step of %s ms is not followed until somebody says so',
  async (stepMs) => {
    const { clock, held } = fixture();
    const beforeUs = held.nowUs();
    clock.stepWall(stepMs);
    expect(held.nowUs()).toBe(beforeUs);
    await clock.advance(32_000);
    expect(held.nowUs()).toBe(beforeUs + 32_000_000);
    expect(held.held).toEqual({ wallAheadUs: stepMs * 1000, forMs: 32_000 });
    held.follow();
    expect(held.nowUs()).toBe(beforeUs + 32_000_000 + stepMs * 1000);
    expect(held.held).toBeUndefined();
  },
);

test('a step that is taken back leaves no trace', async () => {
  const { clock, held } = fixture();
  const beforeUs = held.nowUs();
  clock.stepWall(-hourMs);
  held.nowUs();
  await clock.advance(32_000);
  clock.stepWall(hourMs);
  expect(held.nowUs()).toBe(beforeUs + 32_000_000);
  expect(held.held).toBeUndefined();
});

test('after a sleep of the machine it shows the wall clock', () => {
  const { clock, held, sleep } = fixture();
  const beforeUs = held.nowUs();
  sleep(8 * hourMs);
  clock.stepWall(8 * hourMs);
  expect(held.nowUs()).toBe(beforeUs + 8 * hourMs * 1000);
  expect(held.held).toBeUndefined();
});

test('property: however the wall clock is slewed, it is followed, and time passes steadily over every step', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          advanceMs: fc.integer({ min: 0, max: 600_000 }),
          stepMs: fc.integer({ min: -50_000, max: 50_000 }),
        }),
      ),
      fc.integer({ min: 120_000, max: 1e10 }),
      async (slews, leapMs) => {
        const { clock, held } = fixture();
        for (const { advanceMs, stepMs } of slews) {
          await clock.advance(advanceMs);
          held.nowUs();
          clock.stepWall(stepMs);
          expect(held.nowUs()).toBe(clock.nowUs());
        }
        const beforeUs = held.nowUs();
        clock.stepWall(leapMs);
        expect(held.nowUs()).toBe(beforeUs);
      },
    ),
    { numRuns: 50 },
  );
});
