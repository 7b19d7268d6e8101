import { mebibyte } from '@vantage/domain';

/** The memory that an agent needs besides its scripts. */
const ownBytes = 128 * mebibyte;
/** A script's process with the memory that its script may take. */
const scriptBytes = 96 * mebibyte;

/**
 * How many scripts may run at one moment with so much memory (bytes): on a large machine they take a quarter of it, on
 * a small one up to four of them what the agent leaves. One always may. Pure.
 */
export function scriptsAtOnce(memory: number): number {
  const left = Math.floor((memory - ownBytes) / scriptBytes);
  const quarter = Math.floor(memory / (256 * mebibyte));
  return Math.max(1, Math.min(64, Math.max(quarter, Math.min(4, left))));
}
