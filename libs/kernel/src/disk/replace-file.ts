import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/** Syncs a folder, so that its creations, renames and removals survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Writes a new file. With `isSynced` (the default) it is on the disk when this resolves. If the write fails, the file
 * is removed.
 */
export async function writeWhole(
  file: string,
  content: string | Uint8Array,
  { mode = 0o600, isSynced = true } = {},
): Promise<void> {
  const handle = await open(file, 'w', mode);
  try {
    await handle.chmod(mode);
    await handle.writeFile(content);
    if (isSynced) await handle.sync();
  } catch (error) {
    await rm(file, { force: true }).catch(() => undefined); // the error of the write matters
    throw error;
  } finally {
    await handle.close();
  }
}

/**
 * Replaces a file atomically: a reader finds the old content or the new one, with `isSynced` (the default) also after a
 * power cut. If the disk rejects it (ENOSPC, EIO, EROFS), the old file stays, the new one is removed, and this throws.
 */
export async function replaceFile(
  file: string,
  content: string | Uint8Array,
  { mode = 0o600, isSynced = true } = {},
): Promise<void> {
  using part = claimPart(file);
  await writeWhole(part.name, content, { mode, isSynced });
  await rename(part.name, file).catch((error: unknown) => discarded(part.name, error));
  if (isSynced) await syncFolder(path.dirname(file));
}

export function replaceFileSync(file: string, content: string, mode = 0o600): void {
  using part = claimPart(file);
  try {
    writeFileSync(part.name, content, { mode, flush: true });
    chmodSync(part.name, mode);
    renameSync(part.name, file);
  } catch (error) {
    removeIfAllowed(part.name);
    throw error;
  }
  const folder = openSync(path.dirname(file), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * Creates a file atomically unless it exists; resolves with whether it did. The file, old or new, then survives a power
 * cut. If the disk rejects it, nothing is left, and this throws.
 */
export async function makeFile(file: string, content: string, mode = 0o600): Promise<boolean> {
  using part = claimPart(file);
  await writeWhole(part.name, content, { mode });
  let isMade = true;
  try {
    await link(part.name, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    isMade = false;
  } finally {
    await rm(part.name, { force: true }).catch(() => undefined);
  }
  // Another process may just have created it, without a sync so far.
  await syncFolder(path.dirname(file));
  return isMade;
}

/** Removes a file if it exists and the disk allows it. */
export function removeIfAllowed(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // on a read-only disk: readers of the file tolerate an old one
  }
}

/** Whether a disk rejects writes for now: it has no room (ENOSPC, EDQUOT), fails (EIO) or is read-only (EROFS). */
export function isDiskRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && refusals.has(error.code);
}

/** Whether a file cannot be written because its disk is read-only. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EROFS';
}

/**
 * The remedy for a disk that rejects writes, as the end of a sentence. More room does not help a disk that is read-only
 * or fails.
 */
export function diskRemedy(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EROFS') return 'its disk is read-only; mount it for writing';
  if (code === 'EIO') return 'its disk fails; replace or repair it';
  if (code === 'EACCES' || code === 'EPERM') return 'give this user the right to write there';
  return 'make room on its disk';
}

const refusals: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS']);

const claimed = new Set<string>();

/** A name for the temporary file of one call, until disposed. Several processes and calls may write the same file. */
function claimPart(file: string): Disposable & { readonly name: string } {
  const prefix = `${file}.${process.pid}`;
  let name = `${prefix}.part`;
  for (let n = 2; claimed.has(name); n += 1) name = `${prefix}.${n}.part`;
  claimed.add(name);
  return { name, [Symbol.dispose]: () => void claimed.delete(name) };
}

async function discarded(part: string, error: unknown): Promise<never> {
  await rm(part, { force: true }).catch(() => undefined);
  throw error;
}
