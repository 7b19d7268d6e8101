import { expect, test } from 'vitest';
import { createNovelty } from './novelty.ts';

test('a word is new once, until it is forgotten for newer ones', () => {
  const isNew = createNovelty(2);
  expect(['a', 'a', 'b', 'a', 'c', 'a'].map(isNew)).toEqual([true, false, true, false, true, true]);
});
