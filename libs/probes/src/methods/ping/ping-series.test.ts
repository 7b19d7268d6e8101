import type { PingAnswer, PingRequest } from '@vantage/icmp';
import { createFakeClock } from '@vantage/kernel/testing';
import { expect, it } from 'vitest';
import { runSeries } from './ping-series.ts';

/** A host that answers ping k after `delays[k]` milliseconds of a fake clock; undefined is a ping lost. */
function scene(delays: readonly (number | undefined)[]) {
  const clock = createFakeClock();
  const sentMs: number[] = [];
  const ping = (request: PingRequest): Promise<PingAnswer> => {
    const delayMs = delays[sentMs.length];
    sentMs.push(clock.monoMs());
    return new Promise((resolve) => {
      const settle = (answer: PingAnswer) => {
        timer[Symbol.dispose]();
        resolve(answer);
      };
      request.signal?.addEventListener('abort', () => settle({ kind: 'aborted' }), { once: true });
      const timer =
        delayMs === undefined || delayMs > request.timeoutMs
          ? clock.timer(request.timeoutMs, () => settle({ kind: 'timeout' }))
          : clock.timer(delayMs, () =>
              settle({ kind: 'reply', rttMs: delayMs, from: request.address, ttl: 64, bytes: 56 }),
            );
    });
  };
  const stop = new AbortController();
  const run = async (count: number, intervalMs: number, budgetMs: number) => {
    const series = runSeries({
      socket: { ping },
      clock,
      signal: stop.signal,
      address: '192.0.2.1',
      count,
      size: 56,
      intervalMs,
      budgetMs,
    }).then((answers) => ({ kinds: answers.map(({ kind }) => kind), endMs: clock.monoMs() }));
    const [seen] = await Promise.all([series, clock.advance(budgetMs * 2)]);
    return { ...seen, sentMs, pending: clock.pending };
  };
  return { run, clock, stop };
}

it('sends one ping each interval and ends with the last answer', async () => {
  const seen = await scene([5, 5, 5]).run(3, 200, 10_000);
  expect(seen).toEqual({ kinds: ['reply', 'reply', 'reply'], sentMs: [0, 200, 400], endMs: 405, pending: 0 });
});

it('waits a second for the lost ones once something has answered', async () => {
  const seen = await scene([5, undefined, 5]).run(3, 200, 10_000);
  expect(seen).toMatchObject({ kinds: ['reply', 'aborted', 'reply'], endMs: 1400, pending: 0 });
});

it('waits longer where answers take longer', async () => {
  const seen = await scene([600, undefined]).run(2, 200, 10_000);
  expect(seen).toMatchObject({ kinds: ['reply', 'aborted'], endMs: 3000 });
});

it('waits the whole budget while nothing answers', async () => {
  const seen = await scene([undefined, undefined]).run(2, 200, 5000);
  expect(seen).toMatchObject({ kinds: ['timeout', 'timeout'], endMs: 5000, pending: 0 });
});

it('puts the pings closer together where the budget is short', async () => {
  const seen = await scene([1, 1, 1, 1]).run(4, 1000, 500);
  expect(seen).toMatchObject({ sentMs: [0, 100, 200, 300], endMs: 301 });
});

it.each([
  { full: 3, kinds: ['reply'] },
  { full: 1000, kinds: ['unsent'] },
])('tries again while the queue to the wire is full: $full times', async ({ full, kinds }) => {
  const clock = createFakeClock();
  let asked = 0;
  const ping = (): Promise<PingAnswer> => {
    asked += 1;
    if (asked <= full) return Promise.resolve({ kind: 'unsent', code: 'ENOBUFS' });
    return Promise.resolve({ kind: 'reply', rttMs: 1, from: '192.0.2.1', ttl: 64, bytes: 56 });
  };
  const { signal } = new AbortController();
  const settings = {
    clock,
    signal,
    address: '192.0.2.1',
    count: 1,
    size: 56,
    intervalMs: 200,
    budgetMs: 1000,
  };
  const [answers] = await Promise.all([runSeries({ socket: { ping }, ...settings }), clock.advance(1000)]);
  expect(answers.map(({ kind }) => kind)).toEqual(kinds);
  expect(asked).toBeLessThan(100);
});

it('rejects when the check is cut off', async () => {
  const { run, clock, stop } = scene([undefined]);
  clock.timer(50, () => stop.abort(new Error('cut')));
  await expect(run(1, 200, 5000)).rejects.toThrow('cut');
});
