import { expect, test } from 'vitest';
import { createFairSlots } from './fair-slots.ts';

const limits = { inAll: 1, perAccount: 1, perAgent: 1 };
const claim = (agentNo: number) => ({ accountNo: agentNo, agentNo, weight: 1 });

test('work waits for a free slot, and a failure gives the slot back', async () => {
  const slots = createFairSlots(limits);
  const { signal } = new AbortController();
  const first = Promise.withResolvers<void>();
  const order: number[] = [];
  const one = slots.run(claim(1), signal, async () => {
    await first.promise;
    order.push(1);
    throw new Error('it failed');
  });
  const two = slots.run(claim(2), signal, async () => void order.push(2));
  first.resolve();
  await expect(one).rejects.toThrow('it failed');
  await two;
  expect(order).toEqual([1, 2]);
});

test('a claim whose signal aborts leaves the queue and never begins', async () => {
  const slots = createFairSlots(limits);
  const gone = new AbortController();
  using _held = await slots.acquire(claim(1), new AbortController().signal);
  let begun = false;
  const waiting = slots.run(claim(2), gone.signal, async () => {
    begun = true;
  });
  gone.abort(new Error('the stream is over'));
  await expect(waiting).rejects.toThrow('the stream is over');
  _held[Symbol.dispose]();
  using _next = await slots.acquire(claim(3), new AbortController().signal);
  expect(begun).toBe(false);
});
