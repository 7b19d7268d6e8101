/** A position of the primary's WAL at a time. */
interface WalSample {
  /** Monotonic clock before the primary was polled, ms. */
  readonly atMs: number;
  /** Bytes of WAL. */
  readonly position: number;
}

/** The progress of a replica. */
export interface ReplicaFreshness {
  /** The replica has everything that the primary committed before this time; undefined: unknown. */
  readonly freshMs: number | undefined;
  /** Samples that the replica has not replayed, the oldest first. */
  readonly waiting: readonly WalSample[];
}

/** A longer list loses every second sample, so the age of a replica that is far behind is less precise. */
const maxWaiting = 64;

export const unknownFreshness: ReplicaFreshness = { freshMs: undefined, waiting: [] };

/**
 * Adds a sample of the primary, and then the position that the replica has replayed. Either may be missing. Never
 * underestimates the age of the replica. Pure.
 */
export function observe(
  { freshMs, waiting }: ReplicaFreshness,
  seen: { readonly sample?: WalSample | undefined; readonly replayed?: number | undefined },
): ReplicaFreshness {
  const all = seen.sample === undefined ? waiting : [...waiting, seen.sample];
  const { replayed } = seen;
  const reached = replayed === undefined ? -1 : all.findLastIndex(({ position }) => position <= replayed);
  const left = all.slice(reached + 1);
  const thinned = left.length > maxWaiting ? left.filter((_, at) => at % 2 === 0) : left;
  return { freshMs: all[reached]?.atMs ?? freshMs, waiting: thinned };
}
