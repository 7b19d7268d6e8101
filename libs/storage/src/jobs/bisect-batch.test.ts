import { Fault } from '@vantage/kernel';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bisectBatch } from './bisect-batch.ts';

test('whichever items fail, all others are done once and the failed ones are returned', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 60 }), async (flags) => {
      const items = flags.map((isBad, i) => ({ isBad, i }));
      const done: number[] = [];
      const refused = await bisectBatch(items, async (some) => {
        if (some.some(({ isBad }) => isBad)) throw new RangeError('not this');
        done.push(...some.map(({ i }) => i));
      });
      expect(refused.map(({ item }) => item.i)).toEqual(items.filter(({ isBad }) => isBad).map(({ i }) => i));
      expect(done).toEqual(items.filter(({ isBad }) => !isBad).map(({ i }) => i));
    }),
  );
});

test('an unreachable database rejects the whole call and blames no item', async () => {
  let calls = 0;
  const away = bisectBatch([1, 2, 3], async () => {
    calls += 1;
    throw new Fault('retry', 'away', 'the database is away');
  });
  await expect(away).rejects.toThrow('away');
  expect(calls).toBe(1);
});
