import { createFakeClock } from '@vantage/kernel/testing';
import { expect, it } from 'vitest';
import { createStorageGuard } from './storage-guard.ts';

const never = new Promise<never>(() => {});
const settled = () => new Promise(setImmediate);

it('gives up work that waits for a database that does not answer', async () => {
  const clock = createFakeClock(0);
  let asked = 0;
  const watch = createStorageGuard({
    clock,
    ask: () => {
      asked += 1;
      return never;
    },
  });
  const both = Promise.allSettled([watch(never), watch(never)]);
  await clock.advance(4_000);
  await settled();
  expect(asked).toBe(1);
  await clock.advance(3_000);
  expect(await both).toMatchObject([{ reason: { code: 1503 } }, { reason: { code: 1503 } }]);
  const third = Promise.allSettled([watch(never)]);
  await clock.advance(4_000);
  await settled();
  await clock.advance(0);
  expect(await third).toMatchObject([{ reason: { code: 1503, status: 503 } }]);
  expect(asked).toBe(1);
});

it('lets work take its time while the database answers', async () => {
  const clock = createFakeClock(0);
  let asked = 0;
  const watch = createStorageGuard({
    clock,
    ask: async () => {
      asked += 1;
    },
  });
  const work = Promise.withResolvers<string>();
  const result = watch(work.promise);
  for (let second = 0; second < 60; second += 1) {
    await clock.advance(1_000);
    await settled();
  }
  expect(asked).toBeGreaterThan(10);
  work.resolve('done');
  expect(await result).toBe('done');
});

it('passes on how the work ends', async () => {
  const watch = createStorageGuard({ clock: createFakeClock(0), ask: () => never });
  await expect(watch(Promise.resolve(1))).resolves.toBe(1);
  await expect(watch(Promise.reject(new TypeError('no')))).rejects.toThrow(TypeError);
});
