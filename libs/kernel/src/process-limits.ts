import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';

/** The maximum of open file descriptors; Infinity where it cannot be read. */
export function descriptorLimit(): number {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return found === undefined ? Number.POSITIVE_INFINITY : Number(found);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Bytes that this process and its children may use: the memory of the machine, or the limit of the control group. */
export function usableMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
