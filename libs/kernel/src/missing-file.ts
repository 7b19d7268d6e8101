import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/**
 * Whether an operation failed because the file does not exist. After any other failure (no permission, no file
 * descriptors left, a failing disk) the caller cannot know whether it exists, and must not remove, replace or start
 * anything.
 */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/** For the `catch` of a file operation: undefined when the file does not exist; rethrows any other failure. */
export function ignoreMissing(error: unknown): undefined {
  if (isMissing(error)) return undefined;
  throw error;
}

/** The text of a file; undefined when it does not exist. Rejects when it cannot be read for another reason. */
export function readIfPresent(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(ignoreMissing);
}

export function readIfPresentSync(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return ignoreMissing(error);
  }
}
