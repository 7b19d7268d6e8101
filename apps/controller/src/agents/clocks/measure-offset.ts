/** A reading of another clock, taken over a round trip. */
export interface Sample {
  /** The other clock minus this one at the middle of the round trip, microseconds. */
  readonly aheadUs: number;
  readonly roundTripUs: number;
}

/** A round trip that took longer says nothing, microseconds. */
export const maxRoundTripUs = 20_000_000;

/**
 * How far the other clock is ahead, as far as the samples prove it: the one with the smallest round trip counts. The
 * other clock was read at some moment of the round trip, so the difference is known to half of it, and a smaller one
 * proves nothing: it is 0. Undefined: no sample says anything. Pure.
 */
export function provenOffsetUs(samples: readonly Sample[]): number | undefined {
  const [best] = samples
    .filter(({ roundTripUs }) => roundTripUs <= maxRoundTripUs)
    .sort((a, b) => a.roundTripUs - b.roundTripUs);
  if (best === undefined) return undefined;
  return Math.abs(best.aheadUs) <= best.roundTripUs / 2 ? 0 : best.aheadUs;
}
