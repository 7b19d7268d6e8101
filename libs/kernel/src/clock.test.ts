import { expect, test } from 'vitest';
import { systemClock } from './clock.ts';
import { createFakeClock } from './testing/index.ts';

test('the system clock agrees with Date.now() and counts microseconds', () => {
  const apart = Math.abs(systemClock.nowUs() / 1000 - Date.now());
  expect(apart).toBeLessThan(50);
  expect(Number.isInteger(systemClock.nowUs())).toBe(true);
});

test('a sleep that is aborted rejects with the reason of the abort', async () => {
  const controller = new AbortController();
  const sleeping = systemClock.sleep(60_000, controller.signal);
  controller.abort(new Error('enough'));
  await expect(sleeping).rejects.toThrow('enough');
});

test('a timer that is disposed never fires', async () => {
  const clock = createFakeClock();
  let fired = 0;
  const timer = clock.timer(10, () => {
    fired += 1;
  });
  timer[Symbol.dispose]();
  await clock.advance(100);
  expect(fired).toBe(0);
  expect(clock.pending).toBe(0);
});

test('the fake clock fires timers in their order and moves the wall clock with them', async () => {
  const clock = createFakeClock(1_000_000);
  const seen: [string, number][] = [];
  clock.timer(20, () => seen.push(['b', clock.nowUs()]));
  clock.timer(10, () => seen.push(['a', clock.nowUs()]));
  await clock.advance(25);
  expect(seen).toEqual([
    ['a', 1_010_000],
    ['b', 1_020_000],
  ]);
  clock.stepWall(-5);
  expect(clock.nowUs()).toBe(1_020_000);
  expect(clock.monoMs()).toBe(25);
});
