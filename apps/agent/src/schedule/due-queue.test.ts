import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDueQueue } from './due-queue.ts';

test('the queue gives the same order as a sorted list, after any sets, moves and deletions', () => {
  const none = fc.constant(0);
  const stepOf = (key: fc.Arbitrary<number>) =>
    fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('set' as const), key, at: fc.nat(50) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), key, at: none }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('next' as const), key: none, at: none }) },
    );
  // Few keys that move often leave many stale entries behind.
  const steps = fc
    .constantFrom(1, 4, 20)
    .chain((keys) => fc.array(stepOf(fc.nat(keys)), { maxLength: 300, size: 'max' }));
  fc.assert(
    fc.property(steps, (steps) => {
      const queue = createDueQueue<number>();
      let list: { key: number; at: number }[] = [];
      for (const { kind, key, at } of steps) {
        if (kind !== 'next') list = list.filter((each) => each.key !== key);
        if (kind === 'delete') queue.delete(key);
        if (kind === 'set') {
          queue.set(key, at);
          list.push({ key, at });
        }
        const expected = list.toSorted((a, b) => a.at - b.at)[0];
        const first = queue.first();
        expect(first && { key: first.key, at: first.atUs }).toEqual(expected);
        expect(queue.size).toBe(list.length);
        if (kind === 'next' && first !== undefined) {
          queue.delete(first.key);
          list = list.filter((each) => each.key !== first.key);
        }
      }
    }),
  );
});
