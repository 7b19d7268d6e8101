import { readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { ignoreMissing, syncFolder, writeWhole } from '@vantage/kernel';

/**
 * Replaces a file as a whole, durably. A later reader finds the old or the new content; a checksum shows damage. The
 * previous content stays in `<file>.old`.
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

/** Deletes what `writeWithChecksum` wrote, including the previous and any unfinished content. Needs no free space. */
export async function eraseWithChecksum(file: string): Promise<void> {
  for (const name of [file, `${file}.old`, `${file}.new`]) await rm(name, { force: true });
  await syncFolder(path.dirname(file));
}

/** The content of a file that `writeWithChecksum` wrote; its previous content if the file is missing or damaged. */
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
