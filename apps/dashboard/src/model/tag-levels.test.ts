import { expect, test } from 'vitest';
import { tagLevels } from './tag-levels.ts';

test('tags and all branches above them are listed once', () => {
  const rows = [{ tags: ['berlin/rack-1/top', 'lab'] }, { tags: ['berlin/rack-2', 'lab'] }, { tags: [] }];
  expect(tagLevels(rows)).toEqual([
    'berlin/*',
    'berlin/rack-1/*',
    'berlin/rack-1/top',
    'berlin/rack-2',
    'lab',
  ]);
});
