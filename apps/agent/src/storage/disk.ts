import { type FileHandle, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { ignoreMissing, isMissing, messageOf, syncFolder, writeWhole } from '@vantage/kernel';

/** Writes all bytes at this place. After a short write, the next write throws the actual error (ENOSPC, EIO). */
export async function writeAll(handle: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}

/**
 * Opens a file to read and write; creates it when it is missing. Throws for a file that exists and cannot be opened.
 */
export function openOrMake(file: string): Promise<FileHandle> {
  return open(file, 'r+', 0o600).catch((error: unknown) => {
    if (isMissing(error)) return open(file, 'w+', 0o600);
    throw error;
  });
}

/** Whether the disk, or this user's share of it, has no room left. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

/** Creates a folder (and its parents) that only this user may enter. */
export async function ensureFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
}

/**
 * Replaces a file as a whole, durably. A later reader finds the old or the new content, with a checksum that shows
 * damage. The previous content is kept as `<file>.old`.
 */
export async function writeWithChecksum(file: string, content: Uint8Array): Promise<void> {
  const fresh = `${file}.new`;
  const head = Buffer.allocUnsafe(4);
  head.writeUInt32BE(crc32(content));
  await writeWhole(fresh, Buffer.concat([head, content]));
  await rename(file, `${file}.old`).catch(ignoreMissing);
  await rename(fresh, file);
  await syncFolder(path.dirname(file));
}

/** Deletes what `writeWithChecksum` wrote, with the previous content and one that was not whole. Needs no room. */
export async function eraseWithChecksum(file: string): Promise<void> {
  for (const name of [file, `${file}.old`, `${file}.new`]) await rm(name, { force: true });
  await syncFolder(path.dirname(file));
}

/**
 * The content of a file that `writeWithChecksum` wrote, or its previous content where the file is missing or damaged.
 */
export async function readWithChecksum(
  file: string,
): Promise<{ readonly content: Buffer | undefined; readonly isDamaged: boolean }> {
  let isDamaged = false;
  for (const name of [file, `${file}.old`]) {
    const bytes = await readFile(name).catch(ignoreMissing);
    if (bytes === undefined) continue;
    if (bytes.length >= 4 && bytes.readUInt32BE(0) === crc32(bytes.subarray(4))) {
      return { content: bytes.subarray(4), isDamaged };
    }
    isDamaged = true;
  }
  return { content: undefined, isDamaged };
}

/**
 * A short text kept twice in a file of fixed size. It is overwritten in place, so a full disk cannot refuse it, and a
 * write that is torn or a byte that flips leaves the other copy.
 */
interface DualCopyFile extends AsyncDisposable {
  /** As found at the opening; undefined: no whole copy. */
  readonly text: string | undefined;
  /** Durably, when it resolves. */
  write(text: string): Promise<void>;
}

/** A copy: u32 crc32 of length and text, u32 length, text; the second one in a disk sector of its own. Big-endian. */
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

/** Opens it to write; where the disk is read-only, to read at least. */
function openFor(file: string): Promise<FileHandle> {
  return openOrMake(file).catch((error: unknown) => {
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

/** Reports faults of a disk once per change: the same text again is not reported before a success. */
export interface FaultReporter {
  /** Returns undefined, so that it can stand as the handler of a rejected promise. */
  readonly report: (error: unknown) => undefined;
  /** The disk works again. */
  clear(): void;
}

/** Creates the reporter; `onFault` receives the message of each new fault. */
export function createFaultReporter(onFault: (text: string) => void): FaultReporter {
  let last = '';
  return {
    report(error) {
      const text = messageOf(error);
      if (text !== last) onFault(text);
      last = text;
      return undefined;
    },
    clear() {
      last = '';
    },
  };
}
