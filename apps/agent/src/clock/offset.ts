/** One measurement of the controller's clock by four timestamps (RFC 5905, section 8). Microseconds. */
export interface OffsetSample {
  /** Controller minus agent. */
  readonly offsetUs: number;
  readonly roundTripUs: number;
}

/** Reads the four timestamps: sent by the agent, received and sent by the controller, received by the agent. */
export function sampleOf(
  sentUs: number,
  receivedUs: number,
  repliedUs: number,
  backUs: number,
): OffsetSample {
  return {
    offsetUs: Math.round((receivedUs - sentUs + (repliedUs - backUs)) / 2),
    roundTripUs: Math.max(0, backUs - sentUs - (repliedUs - receivedUs)),
  };
}

const kept = 8;
/** A smaller difference changes nothing, microseconds. */
const smallestStepUs = 1000;

/** Adds a sample to the last ones, newest last. */
export function withSample(samples: readonly OffsetSample[], sample: OffsetSample): readonly OffsetSample[] {
  const best = bestOf(samples);
  const moved =
    best !== undefined &&
    Math.abs(sample.offsetUs - best.offsetUs) > (sample.roundTripUs + best.roundTripUs) / 2 + smallestStepUs;
  return moved ? [sample] : [...samples, sample].slice(-kept);
}

/**
 * The offset that replaces `inForceUs`, or undefined to keep it. The best of the last samples (shortest round trip)
 * replaces it when the two differ by more than half that round trip.
 */
export function nextOffset(
  samples: readonly OffsetSample[],
  inForceUs: number | undefined,
): OffsetSample | undefined {
  const best = bestOf(samples);
  if (best === undefined) return undefined;
  if (inForceUs === undefined) return best;
  const apartUs = Math.abs(best.offsetUs - inForceUs);
  return apartUs > Math.max(smallestStepUs, best.roundTripUs / 2) ? best : undefined;
}

function bestOf(samples: readonly OffsetSample[]): OffsetSample | undefined {
  let best: OffsetSample | undefined;
  for (const sample of samples) {
    if (best === undefined || sample.roundTripUs <= best.roundTripUs) best = sample;
  }
  return best;
}
