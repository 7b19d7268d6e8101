import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/**
 * Whether a failed look at a file says that it is not there. Every other failure (no rights, no file descriptors left, a disk that
 * fails) says that nobody can know: whoever would remove, replace or start something then must stop instead.
 */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/** For `catch` of a look at a file: undefined when it is not there; any other failure is thrown again. */
export function ignoreMissing(error: unknown): undefined {
  if (isMissing(error)) return undefined;
  throw error;
}

/** The text of a file, undefined when it is not there. Throws when it cannot be read for any other reason. */
export function readIfPresent(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(ignoreMissing);
}

/** Like `readIfPresent`, at once. */
export function readIfPresentSync(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return ignoreMissing(error);
  }
}
