import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTurnQueue } from './turn-queue.ts';

function scene(perIteration?: number) {
  const due: (() => void)[] = [];
  const done: string[] = [];
  const queue = createTurnQueue({
    ...(perIteration === undefined ? {} : { perIteration }),
    later: (run) => void due.push(run),
  });
  return {
    done,
    add: (owner: string, name = owner) => queue.add(owner, () => void done.push(name)),
    /** One iteration of the event loop; false when nothing was due. */
    iterate: () => {
      const run = due.shift();
      run?.();
      return run !== undefined;
    },
    due,
  };
}

test('nothing runs at once, then as many in an iteration as may', () => {
  const { done, add, iterate } = scene(2);
  for (const name of ['1', '2', '3']) add('a', name);
  expect(done).toEqual([]);
  iterate();
  expect(done).toEqual(['1', '2']);
  iterate();
  expect(done).toEqual(['1', '2', '3']);
  expect(iterate()).toBe(false);
});

test('four begin in an iteration of the event loop', () => {
  const { done, add, iterate } = scene();
  for (let i = 0; i < 10; i += 1) add('a');
  const begun: number[] = [];
  while (iterate()) begun.push(done.length);
  expect(begun).toEqual([4, 8, 10]);
});

test('a client with one handshake does not wait for a client with a thousand', () => {
  const { done, add, iterate } = scene(4);
  for (let i = 0; i < 1_000; i += 1) add('crowd');
  iterate();
  add('single');
  iterate();
  expect(done.filter((owner) => owner === 'single')).toHaveLength(1);
  expect(done).toHaveLength(8);
});

test('all work is done once, in the order of its owner, and at most one iteration is asked for at a time', () => {
  const step = fc.oneof(fc.constantFrom('a', 'b', 'c'), fc.constant('iterate'));
  fc.assert(
    fc.property(fc.array(step), fc.integer({ min: 1, max: 5 }), (steps, perIteration) => {
      const { done, add, iterate, due } = scene(perIteration);
      const added: string[] = [];
      for (const [i, owner] of steps.entries()) {
        if (owner === 'iterate') iterate();
        else {
          add(owner, `${owner}${i}`);
          added.push(`${owner}${i}`);
        }
        expect(due.length).toBeLessThanOrEqual(1);
      }
      while (iterate());
      for (const owner of ['a', 'b', 'c'])
        expect(done.filter((name) => name.startsWith(owner))).toEqual(
          added.filter((name) => name.startsWith(owner)),
        );
    }),
  );
});
