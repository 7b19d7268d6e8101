/** A router on a way, or the device itself. */
export interface Hop {
  readonly TTL: number;
  /** Null: nobody answered. */
  readonly Address: string | null;
  /** Round trip, milliseconds. */
  readonly RTTMs: number | null;
}

/** A way from an agent to a device. */
export interface Way {
  readonly Reached: boolean;
  readonly Hops: readonly Hop[];
}

/** The hops at one distance. */
export interface WayLine {
  readonly ttl: number;
  readonly hop: Hop | undefined;
  readonly good: Hop | undefined;
  /** From here on nobody answers any more, though somebody did on the good way. */
  readonly isEnd: boolean;
}

const answers = (hop: Hop | undefined) => hop !== undefined && hop.Address !== null;

/** The hops of a way beside those of a good one, by distance. Pure. */
export function besideGood(hops: readonly Hop[], good: readonly Hop[]): readonly WayLine[] {
  const byDistance = (all: readonly Hop[]) => new Map(all.map((hop) => [hop.TTL, hop]));
  const [here, there] = [byDistance(hops), byDistance(good)];
  const lastAnswer = Math.max(0, ...hops.filter(answers).map(({ TTL }) => TTL));
  const distances = [...new Set([...here.keys(), ...there.keys()])].sort((a, b) => a - b);
  const end = distances.find((ttl) => ttl > lastAnswer && answers(there.get(ttl)));
  return distances.map((ttl) => ({
    ttl,
    hop: here.get(ttl),
    good: there.get(ttl),
    isEnd: ttl === end,
  }));
}

/** The newest way before a moment that reached the device from a Location. `ways` are newest first. Pure. */
export function lastGood<Kept extends Way & { readonly Timestamp: string; readonly Location: string }>(
  ways: readonly Kept[],
  check: { readonly Timestamp: string; readonly Location: string },
): Kept | undefined {
  const at = Date.parse(check.Timestamp);
  return ways.find(
    ({ Reached, Location, Timestamp }) =>
      Reached && Location === check.Location && Date.parse(Timestamp) < at,
  );
}
