export interface Backoff {
  /** Upper bound of the first wait, milliseconds. */
  readonly baseMs: number;
  /** No wait is longer than this, milliseconds. */
  readonly capMs: number;
}

/**
 * The wait before retry `attempt` (the first is 0): uniform in [0, min(cap, base * 2^attempt)]. Full jitter spreads out
 * clients that were disconnected at the same time.
 */
export function backoffMs(attempt: number, backoff: Backoff, random: () => number): number {
  const ceiling = Math.min(backoff.capMs, backoff.baseMs * 2 ** Math.min(attempt, 30));
  return Math.floor(random() * ceiling);
}
