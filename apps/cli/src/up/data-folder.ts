import { mkdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { Fault, messageOf } from '@vantage/kernel';

/** Creates the data folder, readable only by its owner, and returns its real path. */
export function openData(dir: string): string {
  try {
    makeFolders(dir);
    return realpathSync(dir);
  } catch (cause) {
    throw new Fault(
      'stop',
      'data_dir',
      `the data folder cannot be used: ${messageOf(cause)} (VANTAGE_DATA)`,
      { cause },
    );
  }
}

/**
 * Creates a folder and its parents. Node's recursive mkdir never returns where the system refuses it, as below /proc.
 */
function makeFolders(dir: string): void {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return;
  if (path.dirname(dir) !== dir) makeFolders(path.dirname(dir));
  mkdirSync(dir, { mode: 0o700 });
}
