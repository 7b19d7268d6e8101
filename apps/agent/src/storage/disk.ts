import { type FileHandle, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { ignoreMissing, isMissing, syncFolder, writeWhole } from '@vantage/kernel';

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
 * damage. The previous content is kept as `<file>.old`, unless it must not stay.
 */
export async function writeWithChecksum(
  file: string,
  content: Uint8Array,
  { keepsOld = true }: { readonly keepsOld?: boolean } = {},
): Promise<void> {
  const fresh = `${file}.new`;
  const head = Buffer.allocUnsafe(4);
  head.writeUInt32BE(crc32(content));
  await writeWhole(fresh, Buffer.concat([head, content]));
  await rename(file, `${file}.old`).catch(ignoreMissing);
  await rename(fresh, file);
  if (!keepsOld) await rm(`${file}.old`, { force: true });
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
