import { setImmediate as nextRound } from 'node:timers/promises';
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

test('tasks begin in an iteration until their weights reach its limit', () => {
  const due: (() => void)[] = [];
  const begun: number[] = [];
  const queue = createTurnQueue({ perIteration: 10, later: (run) => void due.push(run) });
  for (const weight of [4, 4, 4, 20, 1, 1])
    queue.add(
      'a',
      () => void begun.push(weight),
      () => weight,
    );
  const iterations = [];
  for (let run = due.shift(); run !== undefined; run = due.shift()) {
    run();
    iterations.push(begun.splice(0));
  }
  expect(iterations).toEqual([[4, 4, 4], [20], [1, 1]]);
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

test('of many pieces of work at one moment the owners have theirs in turn, one in each round of the event loop', async () => {
  const queue = createTurnQueue({ perIteration: 1, later: setImmediate });
  const order: string[] = [];
  let round = 0;
  let isOver = false;
  const counting = (async () => {
    while (!isOver) {
      await nextRound();
      round += 1;
    }
  })();
  const work = async (owner: string, name: string) => {
    await new Promise<void>((resolve) => queue.add(owner, resolve));
    order.push(`${name} ${round}`);
  };
  const greedy = Array.from({ length: 5 }, (_, i) => work('1', `greedy-${i}`));
  await Promise.all([...greedy, work('2', 'modest'), work('3', 'other')]);
  isOver = true;
  await counting;
  const [names, rounds] = [order.map((each) => each.split(' ')[0]), order.map((each) => each.split(' ')[1])];
  expect(names).toEqual(['greedy-0', 'modest', 'other', 'greedy-1', 'greedy-2', 'greedy-3', 'greedy-4']);
  expect(new Set(rounds).size).toBe(rounds.length);
});

test('work after a pause has its turn, too', async () => {
  const queue = createTurnQueue({ perIteration: 1, later: setImmediate });
  const turn = () => new Promise<void>((resolve) => queue.add('1', resolve));
  await turn();
  await nextRound();
  await nextRound();
  await expect(turn()).resolves.toBeUndefined();
});
