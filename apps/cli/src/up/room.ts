import { accessSync, constants, statfsSync } from 'node:fs';
import { isDiskRefusal } from '@vantage/kernel';

/** PostgreSQL does not start with less, bytes: a piece of its log of changes. */
const leastBytes = 16 * 1024 * 1024;

/** Whether the disk of a folder is read-only, or has no room for the start of a system. */
export function refusesFiles(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < leastBytes;
  } catch (error) {
    return isDiskRefusal(error);
  }
}
