import { expect, test } from 'vitest';
import { outages } from './timeline.ts';

test('an Unknown between two Downs belongs to the outage', () => {
  const intervals = [
    { fromUs: 1, status: 'Down' as const },
    { fromUs: 2, status: 'Unknown' as const },
    { fromUs: 3, status: 'Down' as const },
    { fromUs: 4, status: 'Up' as const },
    { fromUs: 5, status: 'Down' as const },
  ];
  expect(outages(intervals)).toEqual([
    { fromUs: 1, toUs: 4 },
    { fromUs: 5, toUs: Number.POSITIVE_INFINITY },
  ]);
});
