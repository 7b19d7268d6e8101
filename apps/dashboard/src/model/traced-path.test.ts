import { expect, test } from 'vitest';
import { compareHops, lastGood } from './traced-path.ts';

const hop = (TTL: number, Address: string | null) => ({ TTL, Address, RTTMs: Address === null ? null : TTL });

test('a path ends at the first hop that answered on the good path and does not now', () => {
  const good = [hop(1, '10.0.0.1'), hop(2, null), hop(3, '10.0.0.3'), hop(4, '10.0.0.9')];
  const lines = compareHops([hop(1, '10.0.0.1'), hop(2, null), hop(3, null)], good);
  expect(lines.map(({ ttl, isEnd }) => [ttl, isEnd])).toEqual([
    [1, false],
    [2, false],
    [3, true],
    [4, false],
  ]);
  expect(lines[3]).toEqual({ ttl: 4, hop: undefined, good: good[3], isEnd: false });
  expect(compareHops(good, good).some(({ isEnd }) => isEnd)).toBe(false);
  expect(compareHops([hop(1, null)], []).some(({ isEnd }) => isEnd)).toBe(false);
});

test('the good path to compare with is the newest one before the check, from the same Location', () => {
  const path = (Timestamp: string, Location: string, Reached: boolean) => ({
    Timestamp,
    Location,
    Reached,
    Hops: [],
  });
  const paths = [
    path('2026-11-27T04:00:00Z', 'oslo', true),
    path('2026-11-27T03:00:00Z', 'oslo', false),
    path('2026-11-27T02:00:00Z', 'rome', true),
    path('2026-11-27T01:00:00Z', 'oslo', true),
    path('2026-11-27T00:00:00Z', 'oslo', true),
  ];
  const check = { Timestamp: '2026-11-27T04:00:00+01:00', Location: 'oslo' };
  expect(lastGood(paths, check)).toBe(paths[3]);
  expect(lastGood(paths, { ...check, Location: 'bonn' })).toBeUndefined();
});
