import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTailBuffer } from './tail-buffer.ts';

test('property: the last bytes are kept, however they arrive', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (chunks) => {
      const tail = createTailBuffer(16);
      for (const chunk of chunks) tail.add(Buffer.from(chunk));
      expect(tail.read()).toEqual(Buffer.concat(chunks).subarray(-16));
    }),
  );
});
