import { expect, test } from 'vitest';
import { troubledToday } from './troubled.ts';

const row = (id: string, letters: string, state: 'Up' | 'Down' = 'Up') => ({
  id,
  state,
  day: { letters, part: 0 },
});

test('who is Up and was Down today is named, the most troubled first', () => {
  const rows = [
    row('quiet', 'UUUUUU'),
    row('once', 'UUDDUU'),
    row('still', 'UUDUDD', 'Down'),
    row('twice', 'UDUDUU'),
    row('ended now', 'UUUUUD'),
  ];
  expect(troubledToday(rows).map(({ row: { id }, times }) => [id, times])).toEqual([
    ['twice', 2],
    ['once', 1],
    ['ended now', 1],
  ]);
});
