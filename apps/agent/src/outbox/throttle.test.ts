import { createFakeClock } from '@vantage/kernel/testing';
import { expect, test } from 'vitest';
import { createThrottle } from './throttle.ts';

test('the first request runs at once, requests meanwhile run together, and none runs after disposal', async () => {
  const clock = createFakeClock();
  const begun: number[] = [];
  const pace = createThrottle({ clock, minIntervalMs: () => 50, job: () => void begun.push(clock.monoMs()) });
  for (let i = 0; i < 100; i += 1) {
    pace.schedule();
    await clock.advance(4);
  }
  expect(begun).toEqual([0, 50, 100, 150, 200, 250, 300, 350, 400]);
  await clock.advance(1000);
  pace.schedule();
  await clock.advance(1);
  expect(begun.at(-1)).toBe(1400);
  pace.schedule();
  pace[Symbol.dispose]();
  pace.schedule();
  await clock.advance(1000);
  expect(begun.length).toBe(10);
  expect(clock.pending).toBe(0);
});
