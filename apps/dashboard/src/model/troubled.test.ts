import { expect, test } from 'vitest';
import { troubledToday } from './troubled.ts';

const row = (id: string, letters: string, state: 'Up' | 'Down' = 'Up') => ({
  id,
  state,
  day: { letters, part: 0 },
});

test('who is Up and was Down today is named, those that were Down for longest first', () => {
  const rows = [
    row('quiet', 'UUUUUU'),
    row('short', 'UUDUUU'),
    row('still', 'UUDUDD', 'Down'),
    row('long', 'UDDDUU'),
    row('twice', 'UDUUUD'),
  ];
  expect(troubledToday(rows).map(({ id }) => id)).toEqual(['long', 'twice', 'short']);
});
