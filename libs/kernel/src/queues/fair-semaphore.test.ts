import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../testing/index.ts';
import { createFairSemaphore } from './fair-semaphore.ts';

const nextIteration = () => new Promise<void>((resolve) => setImmediate(resolve));
const places = { running: 2, perOwner: { running: 1, waiting: 100 } };

test('places are never exceeded, in all and of one owner, and all that is not refused or withdrawn runs', async () => {
  const arrival = fc.record({
    owner: fc.integer({ min: 0, max: 3 }),
    abort: fc.boolean(),
    fail: fc.boolean(),
  });
  const limits = fc.record({
    running: fc.integer({ min: 1, max: 4 }),
    perOwner: fc.record({ running: fc.integer({ min: 1, max: 3 }), waiting: fc.integer({ min: 0, max: 4 }) }),
    waiting: fc.integer({ min: 0, max: 8 }),
  });
  await fc.assert(
    fc.asyncProperty(limits, fc.array(arrival, { maxLength: 20, size: 'max' }), async (given, arrivals) => {
      const semaphore = createFairSemaphore<number>(given);
      const now = new Map<number, number>();
      const ends: (() => void)[] = [];
      const outcomes = arrivals.map(({ owner, abort, fail }) => {
        const gone = new AbortController();
        const work = async () => {
          now.set(owner, (now.get(owner) ?? 0) + 1);
          expect(now.get(owner)).toBeLessThanOrEqual(given.perOwner.running);
          expect([...now.values()].reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(given.running);
          await new Promise<void>((resolve) => ends.push(resolve));
          now.set(owner, (now.get(owner) ?? 0) - 1);
          if (fail) throw new Error('failed');
          return 'done';
        };
        const outcome = semaphore.run(owner, work, gone.signal).then(
          (done) => done?.value ?? 'refused',
          (error: unknown) => String(error),
        );
        if (abort) gone.abort('gone');
        return outcome;
      });
      for (let i = 0; i <= arrivals.length; i += 1) {
        await nextIteration();
        ends.shift()?.();
      }
      const all = await Promise.all(outcomes);
      expect(all.filter((one) => !['done', 'refused', 'gone', 'Error: failed'].includes(one))).toEqual([]);
      expect(semaphore.size).toBe(0);
    }),
    { numRuns: propertyRuns(100) },
  );
});

test('owners take turns, however much each has waiting', async () => {
  const semaphore = createFairSemaphore<string>({ ...places, running: 1 });
  const served: string[] = [];
  const run = (owner: string) => semaphore.run(owner, async () => void served.push(owner));
  await Promise.all(['a', 'a', 'a', 'a', 'b', 'b', 'c'].map(run));
  expect(served).toEqual(['a', 'b', 'c', 'a', 'b', 'a', 'a']);
});

test('a newcomer gets the next place, before owners that have some', async () => {
  const semaphore = createFairSemaphore<string>({ running: 4, perOwner: { running: 3, waiting: 9 } });
  const releases = await Promise.all(['a', 'a', 'b', 'b'].map((owner) => semaphore.enter(owner)));
  const served: string[] = [];
  const waits = ['a', 'b', 'c'].map((owner) => semaphore.run(owner, async () => void served.push(owner)));
  releases[0]?.();
  await Promise.all(waits);
  expect(served).toEqual(['c', 'a', 'b']);
});

test('an owner that has its own share leaves the other places to others', async () => {
  const semaphore = createFairSemaphore<string>(places);
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = semaphore.run('a', () => promise);
  const second = semaphore.run('a', async () => 'second of a');
  expect(await semaphore.run('b', async () => 'b')).toEqual({ value: 'b' });
  resolve();
  await first;
  expect(await second).toEqual({ value: 'second of a' });
});

test('a place is kept until the given signal aborts, and what waits too much is refused', async () => {
  const semaphore = createFairSemaphore<string>({
    running: 1,
    perOwner: { running: 1, waiting: 1 },
    waiting: 1,
  });
  const sent = new AbortController();
  await semaphore.run('a', async () => 'answered', undefined, sent.signal);
  const waits = semaphore.run('b', async () => 'b');
  expect(await semaphore.run('c', async () => 'c')).toBeUndefined();
  expect(semaphore.size).toBe(2);
  sent.abort();
  expect(await waits).toEqual({ value: 'b' });
  expect(semaphore.size).toBe(0);
});

test('a place that is given back twice is free once', async () => {
  const semaphore = createFairSemaphore<string>(places);
  const release = await semaphore.enter('a');
  release?.();
  release?.();
  expect(semaphore.size).toBe(0);
});

test('owners of one group have one turn together', async () => {
  const groupOf = (owner: string) => owner.slice(0, 1);
  const semaphore = createFairSemaphore<string>({ ...places, running: 1, groupOf });
  const served: string[] = [];
  const run = (owner: string) => semaphore.run(owner, async () => void served.push(owner));
  await Promise.all(['a0', 'a1', 'a2', 'a3', 'a4', 'b0', 'b1', 'c0'].map(run));
  expect(served.map(groupOf).slice(1)).toEqual(['b', 'c', 'a', 'b', 'a', 'a', 'a']);
});

test('where too much waits in all, a newcomer takes the place of the latest one of the group with the most', async () => {
  const semaphore = createFairSemaphore<string>({
    running: 1,
    perOwner: { running: 1, waiting: 2 },
    waiting: 4,
    groupOf: (owner) => owner.slice(0, 1),
  });
  const release = await semaphore.enter('a0');
  const crowd = ['a0', 'a0', 'a1', 'a2', 'a3'].map((owner) => semaphore.run(owner, async () => owner));
  const newcomer = semaphore.run('b', async () => 'b');
  release?.();
  expect((await Promise.all(crowd)).map((done) => done?.value)).toEqual([
    'a0',
    undefined,
    'a1',
    'a2',
    undefined,
  ]);
  expect(await newcomer).toEqual({ value: 'b' });
  expect(semaphore.size).toBe(0);
});

test('owners that come anew each time do not keep one waiting that was served before', async () => {
  const semaphore = createFairSemaphore<string>({ ...places, running: 1 });
  let release = await semaphore.enter('patient');
  let isServed = false;
  const patient = semaphore.run('patient', async () => {
    isServed = true;
  });
  for (let i = 0; i < 10 && !isServed; i += 1) {
    const next = semaphore.enter(`new ${i}`);
    release?.();
    release = await next;
    await nextIteration();
  }
  expect(isServed).toBe(true);
  release?.();
  await patient;
});
