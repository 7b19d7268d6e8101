import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { isMissing } from '@vantage/kernel';

/** Writes all bytes at this offset. After a short write, the next write throws the actual error (ENOSPC, EIO). */
export async function writeAll(handle: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}

/**
 * Opens a file for reading and writing; creates it if it is missing. Rejects for an existing file that cannot be
 * opened.
 */
export function openOrCreate(file: string): Promise<FileHandle> {
  return open(file, 'r+', 0o600).catch((error: unknown) => {
    if (isMissing(error)) return open(file, 'w+', 0o600);
    throw error;
  });
}

/** Whether the disk, or this user's quota, has no space left. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

/** Creates a folder (and its parents) that only this user may enter. */
export async function ensureFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
}
