import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSemaphore } from './semaphore.ts';

test('work runs in order, never more at once than there are places, and work beyond the queue is refused at once', async () => {
  const arrival = fc.record({ abort: fc.boolean(), fail: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.record({ running: fc.integer({ min: 1, max: 3 }), waiting: fc.integer({ min: 0, max: 4 }) }),
      fc.array(arrival, { maxLength: 12 }),
      async (places, arrivals) => {
        const semaphore = createSemaphore(places);
        const started: number[] = [];
        let now = 0;
        let most = 0;
        const ends: (() => void)[] = [];
        const outcomes = arrivals.map(({ abort, fail }, n) => {
          const gone = new AbortController();
          const outcome = semaphore
            .run(async () => {
              started.push(n);
              now += 1;
              most = Math.max(most, now);
              await new Promise<void>((resolve) => ends.push(resolve));
              now -= 1;
              if (fail) throw new Error('failed');
              return n;
            }, gone.signal)
            .then(
              (done) => (done === undefined ? 'refused' : 'done'),
              () => 'rejected',
            );
          if (abort) gone.abort(new Error('gone'));
          return outcome;
        });
        for (let i = 0; i <= arrivals.length; i += 1) {
          await new Promise<void>((resolve) => setImmediate(resolve));
          ends.shift()?.();
        }
        const all = await Promise.all(outcomes);
        expect(started).toEqual([...started].sort((a, b) => a - b));
        expect(most).toBeLessThanOrEqual(places.running);
        expect(semaphore.size).toBe(0);
        const patient = arrivals.every(({ abort }) => !abort);
        if (patient)
          expect(all.filter((one) => one === 'refused')).toHaveLength(
            Math.max(0, arrivals.length - places.running - places.waiting),
          );
      },
    ),
  );
});

test('an aborted wait leaves its place in the queue to the next one', async () => {
  const semaphore = createSemaphore({ running: 1, waiting: 2 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const gone = new AbortController();
  const first = semaphore.run(() => promise);
  const second = semaphore.run(async () => 'second', gone.signal);
  const third = semaphore.run(async () => 'third');
  expect(await semaphore.run(async () => 'fourth')).toBeUndefined();
  gone.abort(new Error('gone'));
  await expect(second).rejects.toThrow('gone');
  resolve();
  await first;
  expect(await third).toEqual({ value: 'third' });
  await expect(semaphore.run(async () => 'late', gone.signal)).rejects.toThrow('gone');
});
