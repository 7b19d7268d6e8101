import { createReadStream, createWriteStream } from 'node:fs';
import { open, stat, truncate } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { ignoreMissing } from './missing-file.ts';

/** A longer log is rotated. */
export const logLimitBytes = 16 * 1024 * 1024;

/**
 * Rotates a log that another process appends to, when it is longer than the limit. Its end is copied to `<file>.1`
 * (mode 0600). The file is then truncated in place, because its writer keeps it open (with O_APPEND it continues at the
 * new end). Lines that are written between the two steps are lost. When the copy fails, the log is lost, because it
 * must not fill the disk. Resolves with whether it was rotated.
 */
export async function limitLogFile(file: string, limitBytes = logLimitBytes): Promise<boolean> {
  const size = (await stat(file).catch(ignoreMissing))?.size ?? 0;
  if (size <= limitBytes) return false;
  try {
    await pipeline(
      createReadStream(file, { start: size - limitBytes, end: size - 1 }),
      createWriteStream(`${file}.1`, { mode: 0o600 }),
    );
  } finally {
    await truncate(file, 0);
  }
  return true;
}

/** The log from byte `from` on, at most its last `maxBytes`. A log that was truncated since is read from its start. */
export async function readLogEnd(file: string, from: number, maxBytes = 65_536): Promise<string> {
  const size = (await stat(file).catch(ignoreMissing))?.size ?? 0;
  const start = Math.max(size < from ? 0 : from, size - maxBytes);
  if (start >= size) return '';
  await using handle = await open(file, 'r');
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(size - start), position: start });
  return buffer.subarray(0, bytesRead).toString('utf8');
}
