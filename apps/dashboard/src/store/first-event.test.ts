import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { firstEvent } from './first-event.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a wait ends with its time or its first event, and a thousand waits leave neither listener nor timer', async () => {
  const ending = new AbortController();
  const network = new EventTarget();
  const listeners = () =>
    getEventListeners(ending.signal, 'abort').length + getEventListeners(network, 'online').length;
  const wait = () =>
    firstEvent(
      [
        [ending.signal, 'abort'],
        [network, 'online'],
      ],
      1_000,
    );
  for (let round = 0; round < 500; round += 1) {
    const byTime = wait();
    expect(listeners()).toBe(2);
    vi.advanceTimersByTime(1_000);
    await byTime;
    const byEvent = wait();
    network.dispatchEvent(new Event('online'));
    await byEvent;
  }
  expect(listeners()).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
  const last = wait();
  ending.abort();
  await last;
  expect(listeners()).toBe(0);
});
