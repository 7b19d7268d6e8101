/** A moment at which the primary's WAL had a position. */
interface Sample {
  /** Read from the monotonic clock before the primary was asked, ms. */
  readonly atMs: number;
  /** Bytes of WAL. */
  readonly position: number;
}

/** Knowledge of how far a replica is. */
export interface Freshness {
  /** All that was committed on the primary before this moment is in the replica; undefined: no moment is known. */
  readonly freshMs: number | undefined;
  /** Moments that the replica has not replayed, the oldest first. */
  readonly waiting: readonly Sample[];
}

/** A longer list loses every second moment: the age of a replica that is far behind is then known less finely. */
const mostWaiting = 64;

/** Nothing is known yet. */
export const unknownFreshness: Freshness = { freshMs: undefined, waiting: [] };

/**
 * Adds a moment of the primary, and then what the replica has replayed. Either may be missing. The age of the replica
 * is never taken for less than it is. Pure.
 */
export function observe(
  { freshMs, waiting }: Freshness,
  seen: { readonly sample?: Sample | undefined; readonly replayed?: number | undefined },
): Freshness {
  const all = seen.sample === undefined ? waiting : [...waiting, seen.sample];
  const { replayed } = seen;
  const reached = replayed === undefined ? -1 : all.findLastIndex(({ position }) => position <= replayed);
  const left = all.slice(reached + 1);
  const thinned = left.length > mostWaiting ? left.filter((_, place) => place % 2 === 0) : left;
  return { freshMs: all[reached]?.atMs ?? freshMs, waiting: thinned };
}
