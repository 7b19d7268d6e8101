import { readFileSync } from 'node:fs';

/** How many file descriptors this process may have open; Infinity where that cannot be read. */
export function descriptorLimit(): number {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return found === undefined ? Number.POSITIVE_INFINITY : Number(found);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
