/** The last bytes of an output. */
export interface TailBuffer {
  add(chunk: Buffer): void;
  read(): Buffer;
}

/** Keeps the last `max` bytes. */
export function createTailBuffer(max: number): TailBuffer {
  let chunks: Buffer[] = [];
  let length = 0;
  return {
    add(chunk) {
      chunks.push(chunk);
      length += chunk.length;
      // Joining at twice the size makes each byte move once on average.
      if (length > 2 * max) {
        chunks = [Buffer.concat(chunks).subarray(-max)];
        length = max;
      }
    },
    read: () => Buffer.concat(chunks).subarray(-max),
  };
}
