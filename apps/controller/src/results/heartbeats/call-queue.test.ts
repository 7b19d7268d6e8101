import { expect, test } from 'vitest';
import { createCallQueue } from './call-queue.ts';

test('owners take turns, also from one take to the next', () => {
  const queue = createCallQueue<number, string>({ all: 10, each: 5 });
  for (const item of ['a1', 'a2', 'a3']) queue.add(1, item);
  queue.add(2, 'b1');
  queue.add(3, 'c1');
  expect(queue.take(2)).toEqual(['a1', 'b1']);
  expect(queue.take(9)).toEqual(['c1', 'a2', 'a3']);
  expect(queue.size).toBe(0);
  expect(queue.take(1)).toEqual([]);
});

test('one owner fills only its share, and all only the whole', () => {
  const queue = createCallQueue<number, number>({ all: 5, each: 3 });
  expect([1, 2, 3, 4].map((item) => queue.add(1, item))).toEqual([true, true, true, false]);
  expect([1, 2, 3].map((item) => queue.add(2, item))).toEqual([true, true, false]);
  expect(queue.size).toBe(5);
});
