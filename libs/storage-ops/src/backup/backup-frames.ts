import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Fault, messageOf } from '@vantage/kernel';
import { type BackupKey, readDecrypted } from './encryption.ts';

/**
 * A part of a backup: the head (once, first), the start of a table, rows in PostgreSQL's text format of COPY, the end
 * of a table with the number of its rows, the end of the backup with the SHA-256 of everything before it.
 */
export interface BackupFrame {
  readonly kind: 'head' | 'table' | 'rows' | 'done' | 'end';
  readonly content: Buffer;
}

const letters = { head: 'H', table: 'T', rows: 'R', done: 'D', end: 'E' } as const;
const kinds = new Map(Object.entries(letters).map(([kind, letter]) => [letter.charCodeAt(0), kind]));
/** The kind (one byte) and the length of the content (u32, big-endian). */
const headBytes = 5;
/** The maximum size of a value in PostgreSQL, bytes. */
const maxBytes = 1024 * 1024 * 1024;
const magic = Buffer.from('vantage-backup 1\n');

/** The bytes of a backup before compression. Adds the frame `end`. */
export async function* encodeFrames(frames: AsyncIterable<BackupFrame>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  const bytesOf = ({ kind, content }: BackupFrame) => {
    const head = Buffer.alloc(headBytes, letters[kind]);
    head.writeUInt32BE(content.length, 1);
    return [head, content];
  };
  yield magic;
  for await (const frame of frames)
    for (const bytes of bytesOf(frame)) {
      hash.update(bytes);
      yield bytes;
    }
  yield* bytesOf({ kind: 'end', content: hash.digest() });
}

/**
 * The frames of a backup without the last one. Throws a Fault that names the file when it is no backup, truncated or
 * damaged, or when `key` does not open it.
 */
export async function* readFrames(file: string, key?: BackupKey): AsyncGenerator<BackupFrame> {
  const bytes = await readDecrypted(file, key);
  const gunzip = createGunzip();
  // An error destroys the stream, and reaches the reader by it.
  void pipeline(bytes, gunzip).catch(() => undefined);
  const hash = createHash('sha256');
  const reader = createReader(gunzip);
  try {
    if (!(await reader.take(magic.length)).equals(magic)) throw new Error('it does not start like one');
    for (;;) {
      const head = await reader.take(headBytes);
      const kind = kinds.get(head[0] ?? 0);
      const length = head.readUInt32BE(1);
      if (kind === undefined || length > maxBytes) throw new Error('a part has no known kind');
      const content = await reader.take(length);
      if (kind === 'end') {
        if (!hash.digest().equals(content)) throw new Error('its checksum is wrong');
        await reader.expectEnd();
        return;
      }
      hash.update(head).update(content);
      yield { kind: kind as BackupFrame['kind'], content };
    }
  } catch (cause) {
    const why = `${file} is no complete backup of Vantage: it is damaged, truncated or something else (${messageOf(cause)})`;
    throw new Fault('drop', 'bad_backup', why, { cause });
  } finally {
    gunzip.destroy();
  }
}

function createReader(stream: AsyncIterable<Buffer>) {
  const source = stream[Symbol.asyncIterator]();
  let chunks: Buffer[] = [];
  let bufferedBytes = 0;
  return {
    async take(length: number): Promise<Buffer> {
      while (bufferedBytes < length) {
        const next = await source.next();
        if (next.done === true) throw new Error('it ends too early');
        chunks.push(next.value);
        bufferedBytes += next.value.length;
      }
      const all = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
      chunks = [all.subarray(length)];
      bufferedBytes -= length;
      return all.subarray(0, length);
    },
    async expectEnd(): Promise<void> {
      if (bufferedBytes > 0 || (await source.next()).done !== true)
        throw new Error('something follows its end');
    },
  };
}
