import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clientFrame } from './websocket-frames.ts';

test('the masked text of RFC 6455 section 5.7', () => {
  const mask = Buffer.from('37fa213d', 'hex');
  expect(clientFrame(1, Buffer.from('Hello'), mask).toString('hex')).toBe('818537fa213d7f9f4d5158');
});

test('a frame has its length in the shortest form, and its payload comes back by the mask', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 70_000 }),
      fc.uint8Array({ minLength: 4, maxLength: 4 }),
      (size, mask) => {
        const payload = Buffer.alloc(size, 'abc');
        const frame = clientFrame(2, payload, Buffer.from(mask));
        const head = size < 126 ? 2 : size < 65_536 ? 4 : 10;
        expect(frame.length).toBe(head + 4 + size);
        const masked = frame.subarray(head + 4);
        expect(Buffer.from(masked.map((byte, at) => byte ^ (mask[at & 3] ?? 0))).equals(payload)).toBe(true);
      },
    ),
    { numRuns: propertyRuns(50) },
  );
});
