import { expect, test } from 'vitest';
import { createSeenSet } from './seen-set.ts';

test('a word is new once, until it is forgotten for newer ones', () => {
  const isNew = createSeenSet(2);
  expect(['a', 'a', 'b', 'a', 'c', 'a'].map(isNew)).toEqual([true, false, true, false, true, true]);
});
