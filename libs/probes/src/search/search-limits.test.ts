import { expect, test } from 'vitest';
import { searchThreads } from './text-search.ts';

test.each([
  [200, { threads: 1, megabytes: 64 }],
  [511, { threads: 1, megabytes: 64 }],
  [512, { threads: 2, megabytes: 160 }],
])('with %i MiB the searches have %j', (mebibytes, room) => {
  expect(searchThreads(mebibytes * 1024 * 1024)).toEqual(room);
});
