import { expect, test } from 'vitest';
import { createSeenSet } from './seen-set.ts';

test('an id is new once, until newer ids replace it', () => {
  const isNew = createSeenSet(2);
  expect(['a', 'a', 'b', 'a', 'c', 'a'].map(isNew)).toEqual([true, false, true, false, true, true]);
});
