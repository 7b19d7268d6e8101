import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { openOrCreate, writeAll } from './disk.ts';

/**
 * A short text, stored twice in a file of fixed size. It is overwritten without a rename, so a full disk cannot refuse
 * it. A torn write or a flipped bit leaves the other copy intact.
 */
interface DualCopyFile extends AsyncDisposable {
  /** The text at the opening; undefined: neither copy is valid. */
  readonly text: string | undefined;
  /** Durable when it resolves. */
  write(text: string): Promise<void>;
}

/** A copy: u32 crc32 of length and text, u32 length, text. Big-endian. The second copy is in another disk sector. */
const copyBytes = 4096;

const headBytes = 8;

/** Opens or creates the file. It stays open, so that a lack of descriptors cannot refuse a write either. */
export async function openDualCopyFile(file: string): Promise<DualCopyFile> {
  const handle = await openFor(file);
  try {
    const text = await read(handle);
    if (text === undefined) await writeAll(handle, Buffer.alloc(2 * copyBytes), 0);
    return {
      text,
      async write(fresh) {
        const copy = encode(fresh);
        for (const at of [0, copyBytes]) {
          await writeAll(handle, copy, at);
          await handle.datasync();
        }
      },
      [Symbol.asyncDispose]: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Opens the file for writing; on a read-only disk for reading. */
function openFor(file: string): Promise<FileHandle> {
  return openOrCreate(file).catch((error: unknown) => {
    const isReadOnly = error instanceof Error && 'code' in error && error.code === 'EROFS';
    if (isReadOnly) return open(file, 'r', 0o600);
    throw error;
  });
}

async function read(handle: FileHandle): Promise<string | undefined> {
  const whole = Buffer.alloc(2 * copyBytes);
  await handle.read(whole, 0, whole.length, 0);
  for (const at of [0, copyBytes]) {
    const length = whole.readUInt32BE(at + 4);
    if (length > copyBytes - headBytes) continue;
    const body = whole.subarray(at + 4, at + headBytes + length);
    if (whole.readUInt32BE(at) === crc32(body)) return body.subarray(4).toString('utf8');
  }
  return undefined;
}

function encode(text: string): Buffer {
  const body = Buffer.from(text);
  const copy = Buffer.alloc(headBytes + body.length);
  copy.writeUInt32BE(body.length, 4);
  copy.set(body, headBytes);
  copy.writeUInt32BE(crc32(copy.subarray(4)), 0);
  return copy;
}
