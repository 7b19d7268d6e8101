import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { soon } from './soon.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Work that lasts so long, with the times at which it began and how many runs there were at the same time. */
function workOf(ms: number) {
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  const run = async () => {
    begun.push(performance.now());
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, ms));
    running -= 1;
  };
  return { run, begun, most: () => most };
}

test('calls before the start share one run, and calls during a run share the next one', async () => {
  const work = workOf(10_000);
  const call = soon(work.run, { afterMs: 300, apartMs: 4_000 }, new AbortController().signal);
  call();
  call();
  await vi.advanceTimersByTimeAsync(5_000);
  call();
  call();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(work.begun.map((at) => at - (work.begun[0] ?? 0))).toEqual([0, 10_300]);
  expect(work.most()).toBe(1);
});

test('two starts are a while apart, and a long run is followed by a pause', async () => {
  const quick = workOf(100);
  const long = workOf(3_000);
  const end = new AbortController();
  const calls = [
    soon(quick.run, { afterMs: 300, apartMs: 4_000, rest: 4 }, end.signal),
    soon(long.run, { afterMs: 300, apartMs: 4_000, rest: 4 }, end.signal),
  ];
  for (let seconds = 0; seconds < 40; seconds += 1) {
    for (const call of calls) call();
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(quick.begun).toHaveLength(10);
  expect(long.begun).toHaveLength(3);
});

test('work that fails runs again, and none starts when the end has come', async () => {
  let runs = 0;
  const end = new AbortController();
  const fail = () => {
    runs += 1;
    return Promise.reject(new Error('no network'));
  };
  const call = soon(fail, { afterMs: 300, apartMs: 1_000 }, end.signal);
  call();
  await vi.advanceTimersByTimeAsync(2_000);
  call();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(runs).toBe(2);
  call();
  end.abort();
  await vi.advanceTimersByTimeAsync(60_000);
  call();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(runs).toBe(2);
});
