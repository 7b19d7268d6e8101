import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const inMemory = '/dev/shm';
const minBytes = 4 * 1024 ** 3;

/**
 * The folder for the data of databases that end with a run of tests: in memory where there is plenty, because a file
 * system that creates and deletes the thousand files of each database costs more than many tests of it. Nothing may be
 * executed there.
 */
export function folderForData(): string {
  if (process.availableMemory() < minBytes) return tmpdir();
  try {
    accessSync(inMemory, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(inMemory);
    return bavail * bsize < minBytes ? tmpdir() : inMemory;
  } catch {
    return tmpdir();
  }
}
