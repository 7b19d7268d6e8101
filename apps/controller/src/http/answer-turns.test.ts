import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createAnswerTurns } from './answer-turns.ts';

test('of many answers at one moment the accounts have theirs in turn, one in each round of the event loop', async () => {
  const { take } = createAnswerTurns();
  const order: string[] = [];
  let round = 0;
  let isOver = false;
  const counting = (async () => {
    while (!isOver) {
      await nextRound();
      round += 1;
    }
  })();
  const render = async (accountNo: number, name: string) => {
    await take(accountNo);
    order.push(`${name} ${round}`);
  };
  const greedy = Array.from({ length: 5 }, (_, i) => render(1, `greedy-${i}`));
  await Promise.all([...greedy, render(2, 'modest'), render(3, 'other')]);
  isOver = true;
  await counting;
  const [names, rounds] = [order.map((each) => each.split(' ')[0]), order.map((each) => each.split(' ')[1])];
  expect(names).toEqual(['greedy-0', 'modest', 'other', 'greedy-1', 'greedy-2', 'greedy-3', 'greedy-4']);
  expect(new Set(rounds).size).toBe(rounds.length);
});

test('an answer after a pause has its turn, too', async () => {
  const { take } = createAnswerTurns();
  await take(1);
  await nextRound();
  await nextRound();
  await expect(take(1)).resolves.toBeUndefined();
});
