/** A router on a path, or the device itself. */
export interface TracedHop {
  readonly TTL: number;
  /** Null: no answer. */
  readonly Address: string | null;
  /** Round trip, milliseconds. */
  readonly RTTMs: number | null;
}

/** The path from an agent to a device. */
export interface TracedPath {
  readonly Reached: boolean;
  readonly Hops: readonly TracedHop[];
}

/** The hops at the same distance. */
export interface HopLine {
  readonly ttl: number;
  readonly hop: TracedHop | undefined;
  readonly good: TracedHop | undefined;
  /** The first distance without an answer where the good path had one. */
  readonly isEnd: boolean;
}

const answers = (hop: TracedHop | undefined) => hop !== undefined && hop.Address !== null;

/** The hops of a path next to those of a good one, by distance. Pure. */
export function compareHops(hops: readonly TracedHop[], good: readonly TracedHop[]): readonly HopLine[] {
  const byDistance = (all: readonly TracedHop[]) => new Map(all.map((hop) => [hop.TTL, hop]));
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

/** The newest path before `check` that reached the device from its Location. `paths` are newest first. Pure. */
export function lastGood<
  Stored extends TracedPath & { readonly Timestamp: string; readonly Location: string },
>(
  paths: readonly Stored[],
  check: { readonly Timestamp: string; readonly Location: string },
): Stored | undefined {
  const at = Date.parse(check.Timestamp);
  return paths.find(
    ({ Reached, Location, Timestamp }) =>
      Reached && Location === check.Location && Date.parse(Timestamp) < at,
  );
}
