import { expect, test } from 'vitest';
import { createStopwatch } from './measurement.ts';

test('a stopwatch has no getter, which would keep its check in memory until the old generation is collected', () => {
  const stopwatch = createStopwatch(() => 0);
  const getters = Object.values(Object.getOwnPropertyDescriptors(stopwatch)).filter((each) => 'get' in each);
  expect(getters).toEqual([]);
  stopwatch.enter('ttfb');
  expect(stopwatch.running()).toBe('ttfb');
  stopwatch.pause();
  expect(stopwatch.running()).toBeUndefined();
});
