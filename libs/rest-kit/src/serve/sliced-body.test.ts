import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SlicedBody, sliceBytes } from './sliced-body.ts';

test('the slices are the bytes, each of at most 64 KiB', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 5 * sliceBytes }), async (length) => {
      const bytes = randomBytes(length);
      const body = new SlicedBody(bytes, false);
      expect(body.remainingBytes).toBe(length);
      let greatest = 0;
      body.on('data', (slice: Buffer) => {
        greatest = Math.max(greatest, slice.length);
      });
      expect((await buffer(body)).equals(bytes)).toBe(true);
      expect(greatest).toBeLessThanOrEqual(sliceBytes);
      expect(body.remainingBytes).toBe(0);
    }),
    { numRuns: 30 },
  );
});

test('what was not taken remains', async () => {
  const body = new SlicedBody(Buffer.alloc(3 * sliceBytes), true);
  await new Promise((resolve) => body.once('readable', resolve));
  expect(body.remainingBytes).toBe(3 * sliceBytes);
  body.read(sliceBytes);
  expect(body.remainingBytes).toBe(2 * sliceBytes);
});
