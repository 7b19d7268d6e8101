import { expect, test } from 'vitest';
import { createMailbox } from './mailbox.ts';

test('the reader gets what was put in, in its order, and ends after close', async () => {
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
