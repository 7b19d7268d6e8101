import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEventReader, retryDelayMs } from './event-lines.ts';

test('events of a stream are read however it is cut into pieces', () => {
  const text =
    'retry: 2000\n: hello\nid: start\n\nid: a\ndata: {"n":\ndata: 1}\n\n:\n\r\nid: b\r\ndata: 2\r\n\r\n';
  fc.assert(
    fc.property(fc.array(fc.nat({ max: text.length })), (cuts) => {
      const read = createEventReader();
      const positions = [0, ...cuts.sort((a, b) => a - b), text.length];
      const events = positions.slice(1).flatMap((end, index) => read(text.slice(positions[index], end)));
      expect(events).toEqual([
        { id: 'start', data: undefined },
        { id: 'a', data: '{"n":\n1}' },
        { id: 'b', data: '2' },
      ]);
    }),
  );
});

test('attempts come further apart, at most 30 s', () => {
  expect(retryDelayMs(0, 0)).toBe(500);
  expect(retryDelayMs(3, 1)).toBe(8_000);
  expect(retryDelayMs(1_000, 1)).toBe(30_000);
});
