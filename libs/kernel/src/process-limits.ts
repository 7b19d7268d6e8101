import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';

/** How many file descriptors this process may have open; Infinity where that cannot be read. */
export function descriptorLimit(): number {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return found === undefined ? Number.POSITIVE_INFINITY : Number(found);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * Bytes that this process may use together with those that it starts: the machine's, or the limit of its control group.
 */
export function usableMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
