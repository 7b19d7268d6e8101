import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createStopwatch } from '../../engine/stopwatch.ts';
import { maxBodyStart, readBody } from './response-body.ts';

const settings = {
  encoding: undefined,
  digest: true,
  maxSize: 2 * maxBodyStart,
  peer: 'PEER',
  isComplete: () => true,
};
function read(
  source: Readable,
  more: Partial<Parameters<typeof readBody>[2]> = {},
  signal = new AbortController().signal,
) {
  const stopwatch = createStopwatch({ monoMs: () => 0 });
  return readBody({ signal, stopwatch }, source, { ...settings, ...more });
}
const pieces = (count: number, piece = Buffer.from('x')) =>
  Readable.from(Array.from({ length: count }, () => piece));

describe('a body', () => {
  test('may come in 100,000 pieces, not in one more', async () => {
    expect((await read(pieces(100_000))).size).toBe(100_000);
    await expect(read(pieces(100_001))).rejects.toThrow('PEER sends its body in more than 100000 pieces');
  });

  test('is kept up to its first MiB, and counted and hashed to its end', async () => {
    const half = Buffer.alloc(maxBodyStart / 2 + 1, 'y');
    const body = await read(pieces(3, half));
    expect([body.start.length, body.size, body.wire, body.overflow]).toEqual([
      maxBodyStart,
      3 * half.length,
      3 * half.length,
      false,
    ]);
    expect(body.sha256).toHaveLength(64);
    expect((await read(pieces(1), { digest: false })).sha256).toBe(undefined);
  });

  test('beyond its bound is not read, has no digest, and ends its source', async () => {
    const source = pieces(9);
    const body = await read(source, { maxSize: 4 });
    expect([body.size, body.overflow, body.sha256, source.destroyed]).toEqual([5, true, undefined, true]);
    expect((await read(pieces(4), { maxSize: 4 })).overflow).toBe(false);
  });

  test('that was over before anybody listened fails by its error, else as one that breaks off', async () => {
    const broken = new Readable({ read() {} });
    broken.on('error', () => {});
    broken.destroy(Object.assign(new Error('Parse Error: odd chunk'), { code: 'HPE_INVALID_CHUNK_SIZE' }));
    await new Promise((resolve) => broken.once('close', resolve));
    await expect(read(broken)).rejects.toThrow('PEER broke the rules of HTTP in its body (odd chunk)');
    const gone = new Readable({ read() {} });
    gone.destroy();
    await expect(read(gone)).rejects.toThrow('PEER closed the connection before its answer was complete');
  });

  test('whose source closes without an end breaks off, and one that is aborted ends at once', async () => {
    const source = new Readable({ read() {} });
    const cut = read(source);
    source.push('x');
    source.destroy();
    await expect(cut).rejects.toThrow('PEER closed the connection before its answer was complete');
    const controller = new AbortController();
    const aborted = read(new Readable({ read() {} }), {}, controller.signal);
    controller.abort(new Error('too late'));
    await expect(aborted).rejects.toThrow('too late');
  });
});
