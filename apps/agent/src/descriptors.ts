import { readFileSync } from 'node:fs';

/** What the agent itself needs: its files, the stream, the spawner of scripts, resolvers, some to spare. */
const ownDescriptors = 48;
/** A check may race two connections, and a redirect or a data channel is another one. */
const perCheck = 2;

/** How many checks may run at one moment so that they leave the agent its own file descriptors: at least one. */
export function checksWithin(limit: number, wanted: number): number {
  return Math.max(1, Math.min(wanted, Math.floor((limit - ownDescriptors) / perCheck)));
}

/** How many file descriptors this process may have open; Infinity where that cannot be read. */
export function descriptorLimit(): number {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return found === undefined ? Number.POSITIVE_INFINITY : Number(found);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
