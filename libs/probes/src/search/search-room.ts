import { mebibyte } from '@vantage/domain';

/** How many threads search at one moment with so much memory (bytes), and how much each may have. Pure. */
export function searchThreads(memory: number): { readonly threads: number; readonly megabytes: number } {
  return memory < 512 * mebibyte ? { threads: 1, megabytes: 64 } : { threads: 2, megabytes: 160 };
}
