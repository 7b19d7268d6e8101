import { expect, test } from 'vitest';
import { createFakeClock } from '../testing/fake-clock.ts';
import { createWaker } from './waker.ts';

const running = new AbortController().signal;

/** Starts a wait of 100 ms. */
function start(signal = running) {
  const clock = createFakeClock();
  const waker = createWaker(clock);
  let ended = false;
  const waiting = waker.wait(100, signal).then(() => {
    ended = true;
  });
  return { clock, waker, waiting, isOver: () => ended };
}

test('a wait ends after its time', async () => {
  const { clock, isOver } = start();
  await clock.advance(99);
  expect(isOver()).toBe(false);
  await clock.advance(1);
  expect([isOver(), clock.pending]).toEqual([true, 0]);
});

test('a wait ends when somebody wakes it, and leaves no timer', async () => {
  const { clock, waker, waiting } = start();
  waker.wake();
  waker.wake();
  await waiting;
  expect(clock.pending).toBe(0);
});

test('a wait ends when its signal aborts, before it or during it', async () => {
  const ending = new AbortController();
  const { clock, waker, waiting } = start(ending.signal);
  ending.abort();
  await waiting;
  await waker.wait(100, ending.signal);
  expect(clock.pending).toBe(0);
});

test('a wake before a wait does not end it', async () => {
  const clock = createFakeClock();
  const waker = createWaker(clock);
  waker.wake();
  void waker.wait(100, running);
  await clock.advance(50);
  expect(clock.pending).toBe(1);
});
