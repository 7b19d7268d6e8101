import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMailbox } from './mailbox.ts';

test('the reader gets all items in their order, and ends after close', async () => {
  const box = createMailbox<number>(10);
  const seen: number[] = [];
  const reading = (async () => {
    for await (const item of box) seen.push(item);
  })();
  box.offer(1);
  box.offer(2);
  await Promise.resolve();
  box.offer(3);
  box.close();
  await reading;
  expect(seen).toEqual([1, 2, 3]);
});

test('a full mailbox says no and counts it; a closed one too', () => {
  const box = createMailbox<string>(1);
  expect(box.offer('a')).toBe(true);
  expect(box.offer('b')).toBe(false);
  box.close();
  expect(box.offer('c')).toBe(false);
  expect(box.dropped).toBe(2);
  expect(box.size).toBe(1);
});

test('with any offers and reads it never holds more than its capacity, and gives each accepted item once and in order', async () => {
  const step = fc.constantFrom('offer', 'read');
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.array(step, { maxLength: 60, size: 'max' }),
      async (capacity, steps) => {
        const box = createMailbox<number>(capacity);
        const reader = box[Symbol.asyncIterator]();
        const taken: number[] = [];
        const given: number[] = [];
        let next = 0;
        for (const kind of steps) {
          if (kind === 'offer') {
            const isFull = box.size === capacity;
            expect(box.offer(next)).toBe(!isFull);
            if (!isFull) taken.push(next);
            next += 1;
          } else if (box.size > 0) given.push(Number((await reader.next()).value));
          expect(box.size).toBeLessThanOrEqual(capacity);
        }
        box.close();
        for (let item = await reader.next(); !item.done; item = await reader.next()) given.push(item.value);
        expect(given).toEqual(taken);
        expect(box.dropped).toBe(next - taken.length);
      },
    ),
  );
});

test('a reader that waits is woken by an item and by the end', async () => {
  const box = createMailbox<string>(1);
  const reader = box[Symbol.asyncIterator]();
  const first = reader.next();
  expect(box.offer('a')).toBe(true);
  expect(await first).toEqual({ done: false, value: 'a' });
  const end = reader.next();
  box.close();
  box.close();
  expect((await end).done).toBe(true);
});
