import { closeSync, openSync, readSync } from 'node:fs';
import { mebibyte } from '@vantage/domain';
import { Fault, messageOf } from '@vantage/kernel';

/** The largest file that is read. Databases have no limit, because SQLite opens them. */
export const maxFileBytes = 32 * mebibyte;

/** The file cannot be used at all. The command ends with 2. */
export function unreadable(message: string): Fault {
  return new Fault('stop', 'unreadable', message);
}

/** Reads a text file, or standard input for `-`: UTF-8, or UTF-16 with a byte order mark as spreadsheets write it. */
export function readText(file: string): string {
  const bytes = readBounded(file);
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);
  } catch {
    throw unreadable(
      `${file} is not text in UTF-8 or UTF-16; save it as UTF-8 ("CSV UTF-8" in a spreadsheet)`,
    );
  }
}

function encodingOf([first, second]: Buffer): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

function readBounded(file: string): Buffer {
  let handle: number;
  try {
    handle = file === '-' ? 0 : openSync(file, 'r');
  } catch (error) {
    throw unreadable(`${file} cannot be read: ${messageOf(error)}`);
  }
  try {
    const chunks: Buffer[] = [];
    for (let total = 0; ; ) {
      const chunk = Buffer.alloc(64 * 1024);
      const count = readChunk(handle, chunk);
      if (count === 0) return Buffer.concat(chunks);
      total += count;
      if (total > maxFileBytes)
        throw unreadable(
          `${file} is longer than ${maxFileBytes / mebibyte} MiB, the longest file that is read`,
        );
      chunks.push(chunk.subarray(0, count));
    }
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw unreadable(`${file} cannot be read: ${messageOf(error)}`);
  } finally {
    if (handle !== 0) closeSync(handle);
  }
}

/** Reads from a file or pipe. Returns 0 at the end; an empty pipe answers EAGAIN, so it is read again. */
function readChunk(handle: number, chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(handle, chunk);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'EOF') return 0;
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}
