import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPerKeySemaphore } from './per-key-semaphore.ts';

const never = new AbortController().signal;
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

test('a place is kept until the work has ended and its answer was sent, in either order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.record({ key: fc.nat({ max: 1 }), sentFirst: fc.boolean() }), { maxLength: 10 }),
      async (running, requests) => {
        const places = createPerKeySemaphore<number>({ running, waiting: 100 });
        const begun = [0, 0];
        const open = requests.map(({ key, sentFirst }) => {
          const sent = new AbortController();
          const { promise, resolve } = Promise.withResolvers<void>();
          const work = async () => {
            begun[key] = (begun[key] ?? 0) + 1;
            await promise;
          };
          const done = places.run(key, work, { signal: never, sent: sent.signal });
          return { key, sentFirst, done, resolve, send: () => sent.abort() };
        });
        const of = (key: number) => requests.filter((each) => each.key === key).length;
        const ended = [0, 0];
        for (const { key, sentFirst, done, resolve, send } of open) {
          await settle();
          for (const each of [0, 1])
            expect(begun[each]).toBe(Math.min(of(each), (ended[each] ?? 0) + running));
          const [first, second] = sentFirst ? [send, resolve] : [resolve, send];
          first();
          await settle();
          expect(begun[key]).toBe(Math.min(of(key), (ended[key] ?? 0) + running));
          second();
          await done;
          ended[key] = (ended[key] ?? 0) + 1;
        }
      },
    ),
    { numRuns: 50 },
  );
});
