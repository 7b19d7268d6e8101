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
 * Writes a new file; with `isSynced` (the default) it is on the disk when this resolves. When the disk takes not all of
 * it, nothing of the file stays.
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
    await rm(file, { force: true }).catch(() => undefined); // the write's error says what is wrong
    throw error;
  } finally {
    await handle.close();
  }
}

/**
 * Replaces a file as a whole: a reader finds the old content or the new one, with `isSynced` (the default) also after a
 * power cut. When the disk refuses (ENOSPC, EIO, EROFS), the old file stays, nothing of the new one is left, and it
 * throws.
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

/** Like `replaceFile`, before it returns. */
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
 * Creates a file, whole at once, unless there is one already; resolves with whether it did. Whichever there is survives
 * a power cut then. When the disk refuses, nothing is left, and it throws.
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
  // Another process may have made it just now, and not have synced it yet.
  await syncFolder(path.dirname(file));
  return isMade;
}

/** Removes a file that may be gone; a disk that refuses keeps it. */
export function removeIfAllowed(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // a read-only disk: what reads the file tolerates an old one
  }
}

/** Whether a disk refuses for now: it has no room (ENOSPC, EDQUOT), fails (EIO) or is read-only (EROFS). */
export function isDiskRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && refusals.has(error.code);
}

/** Whether a file cannot be written because its disk is read-only. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EROFS';
}

/**
 * The action that helps with a disk that refuses, as the end of a sentence: room does not help where it is read-only or
 * fails.
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

/**
 * The name of a part of a file, until it is disposed. Several processes, and several calls, may write one file: each
 * has a part of its own.
 */
function claimPart(file: string): Disposable & { readonly name: string } {
  const own = `${file}.${process.pid}`;
  let name = `${own}.part`;
  for (let n = 2; claimed.has(name); n += 1) name = `${own}.${n}.part`;
  claimed.add(name);
  return { name, [Symbol.dispose]: () => void claimed.delete(name) };
}

async function discarded(part: string, error: unknown): Promise<never> {
  await rm(part, { force: true }).catch(() => undefined);
  throw error;
}
