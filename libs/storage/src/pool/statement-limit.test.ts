import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createStatementLimit } from './statement-limit.ts';

const limitMs = 20;
const soon = { timeout: 60_000, interval: 1 };

/** A limit whose server says that the statement runs for the first `runs` questions. */
function limited({ runs = 0, onAsk }: { runs?: number; onAsk?: (no: number) => void } = {}) {
  const seen = { asked: 0, cut: 0, bytes: 0 };
  const limit = createStatementLimit({
    limitMs,
    bytesRead: () => seen.bytes,
    isRunning: async () => {
      seen.asked += 1;
      onAsk?.(seen.asked);
      return seen.asked <= runs;
    },
    cut: () => {
      seen.cut += 1;
    },
  });
  return { seen, limit, [Symbol.dispose]: () => limit.close() };
}

test('a statement without an answer is asked about, again while it runs, and then its connection is cut, once', async () => {
  using of = limited({ runs: 2 });
  void of.limit.of(new Promise(() => {}));
  await expect.poll(() => of.seen.cut, soon).toBe(1);
  expect(of.seen.asked).toBe(3);
  await delay(3 * limitMs);
  expect(of.seen).toMatchObject({ asked: 3, cut: 1 });
});

test('a question that fails says that the server is gone', async () => {
  using of = limited({
    onAsk: () => {
      throw new Error('no answer');
    },
  });
  void of.limit.of(new Promise(() => {}));
  await expect.poll(() => of.seen.cut, soon).toBe(1);
});

test('an answer that arrives during the question keeps the connection', async () => {
  const first = Promise.withResolvers<void>();
  using of = limited({ onAsk: (no) => no === 1 && first.resolve() });
  await of.limit.of(first.promise);
  await delay(3 * limitMs);
  expect(of.seen).toMatchObject({ asked: 1, cut: 0 });
});

test('an answer whose bytes arrive is never asked about', async () => {
  using of = limited();
  const whole = Promise.withResolvers<void>();
  void of.limit.of(whole.promise);
  for (let no = 0; no < 200; no += 1) {
    of.seen.bytes += 1;
    await delay(1);
  }
  whole.resolve();
  expect(of.seen.asked).toBe(0);
});

test('the time of a statement in a pipeline begins with the answer before it', async () => {
  const before = Array.from({ length: 10 }, () => Promise.withResolvers<void>());
  let answered = 0;
  // A busy machine may be late; then the statement at work is asked about, and never one behind it.
  using of = limited({ runs: Number.POSITIVE_INFINITY });
  const all = before.map(({ promise }) => of.limit.of(promise));
  for (const { resolve } of before) {
    await delay(limitMs / 2);
    resolve();
    answered += 1;
  }
  await Promise.all(all);
  expect(answered).toBe(10);
  expect(of.seen.cut).toBe(0);
});

test('without statements nothing is asked', async () => {
  using of = limited();
  for (let no = 0; no < 10; no += 1) await of.limit.of(Promise.resolve());
  await of.limit.of(Promise.reject(new Error('refused'))).catch(() => {});
  await delay(3 * limitMs);
  expect(of.seen).toMatchObject({ asked: 0, cut: 0 });
});
