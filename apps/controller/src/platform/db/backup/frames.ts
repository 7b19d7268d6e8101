import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Fault, messageOf } from '@vantage/kernel';
import { type BackupKey, readDecrypted } from './encryption.ts';

/**
 * A piece of a backup: the head (once, first), the begin of a table, rows in PostgreSQL's text format of COPY, the end
 * of a table with the number of its rows, the end with the SHA-256 of everything before.
 */
export interface Frame {
  readonly kind: 'head' | 'table' | 'rows' | 'done' | 'end';
  readonly content: Buffer;
}

const letters = { head: 'H', table: 'T', rows: 'R', done: 'D', end: 'E' } as const;
const kinds = new Map(Object.entries(letters).map(([kind, letter]) => [letter.charCodeAt(0), kind]));
/** A kind (one byte) and the length of the content (u32, big-endian). */
const headBytes = 5;
/** No value of a row is longer than this in PostgreSQL, bytes. */
const mostBytes = 1024 * 1024 * 1024;
const magic = Buffer.from('vantage-backup 1\n');

/** The bytes of a backup with these frames, before compression; the frame `end` is added. */
export async function* encodeFrames(frames: AsyncIterable<Frame>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  const bytesOf = ({ kind, content }: Frame) => {
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
 * The frames of a backup, the end excepted. Throws a Fault that names the file when it is no backup, cut off or
 * damaged, or when `key` does not open it.
 */
export async function* readFrames(file: string, key?: BackupKey): AsyncGenerator<Frame> {
  const bytes = await readDecrypted(file, key);
  const gunzip = createGunzip();
  // The reader gets the error by the destroyed stream.
  void pipeline(bytes, gunzip).catch(() => undefined);
  const hash = createHash('sha256');
  const reader = createReader(gunzip);
  try {
    if (!(await reader.take(magic.length)).equals(magic)) throw new Error('it does not begin as one');
    for (;;) {
      const head = await reader.take(headBytes);
      const kind = kinds.get(head[0] ?? 0);
      const length = head.readUInt32BE(1);
      if (kind === undefined || length > mostBytes) throw new Error('a part has no known kind');
      const content = await reader.take(length);
      if (kind === 'end') {
        if (!hash.digest().equals(content)) throw new Error('its checksum is wrong');
        await reader.expectEnd();
        return;
      }
      hash.update(head).update(content);
      yield { kind: kind as Frame['kind'], content };
    }
  } catch (cause) {
    const why = `${file} is no whole backup of Vantage: it is damaged, cut off or something else (${messageOf(cause)})`;
    throw new Fault('drop', 'bad_backup', why, { cause });
  } finally {
    gunzip.destroy();
  }
}

function createReader(stream: AsyncIterable<Buffer>) {
  const source = stream[Symbol.asyncIterator]();
  let chunks: Buffer[] = [];
  let there = 0;
  return {
    async take(length: number): Promise<Buffer> {
      while (there < length) {
        const next = await source.next();
        if (next.done === true) throw new Error('it ends too early');
        chunks.push(next.value);
        there += next.value.length;
      }
      const all = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
      chunks = [all.subarray(length)];
      there -= length;
      return all.subarray(0, length);
    },
    async expectEnd(): Promise<void> {
      if (there > 0 || (await source.next()).done !== true) throw new Error('something follows its end');
    },
  };
}
