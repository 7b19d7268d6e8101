import { totalmem } from 'node:os';

/**
 * Bytes that this process may use together with those that it starts: the machine's, or the limit of its control group.
 */
export function usableMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
