import { create } from '@bufbuild/protobuf';
import { type ClockRecord, ClockRecordSchema, type HeartbeatReply } from '@vantage/proto';
import type { AgentTime } from './agent-time.ts';

/** Derives the offset to the controller's clock from the replies to heartbeats. */
export interface ClockSync {
  reply(reply: HeartbeatReply): void;
  /** Discards the measurements so far, because the host slept. */
  forget(): void;
}

/**
 * Creates the synchronisation. `onOffset` receives each new offset, and the microseconds by which the corrected clock
 * moved.
 */
export function createClockSync(deps: {
  readonly time: AgentTime;
  /** Whether an earlier run measured an offset. */
  readonly isKnown: boolean;
  readonly onOffset: (record: ClockRecord, movedUs: number) => void;
}): ClockSync {
  const { time } = deps;
  let isKnown = deps.isKnown;
  let samples: readonly OffsetSample[] = [];
  return {
    reply({ agentSentUs, receivedUs, sentUs }) {
      const sample = sampleOf(Number(agentSentUs), Number(receivedUs), Number(sentUs), time.rawUs());
      samples = withSample(samples, sample);
      const next = nextOffset(samples, isKnown ? time.offsetUs : undefined);
      if (next === undefined) return;
      isKnown = true;
      const movedUs = next.offsetUs - time.offsetUs;
      time.setOffset(next.offsetUs);
      const record = create(ClockRecordSchema, {
        atUs: BigInt(time.nowUs()),
        offsetUs: BigInt(next.offsetUs),
        roundTripUs: BigInt(next.roundTripUs),
      });
      deps.onOffset(record, movedUs);
    },
    forget() {
      samples = [];
    },
  };
}

/** One measurement of the controller's clock by four timestamps (RFC 5905, section 8). Microseconds. */
interface OffsetSample {
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

const maxSamples = 8;

/** A smaller difference changes nothing, microseconds. */
const minStepUs = 1000;

/** Adds a sample, newest last. A sample that contradicts the best one replaces them all. */
export function withSample(samples: readonly OffsetSample[], sample: OffsetSample): readonly OffsetSample[] {
  const best = bestOf(samples);
  const moved =
    best !== undefined &&
    Math.abs(sample.offsetUs - best.offsetUs) > (sample.roundTripUs + best.roundTripUs) / 2 + minStepUs;
  return moved ? [sample] : [...samples, sample].slice(-maxSamples);
}

/**
 * The offset that replaces `inForceUs`; undefined: keep it. The best sample (shortest round trip) replaces it if the
 * two differ by more than half that round trip.
 */
export function nextOffset(
  samples: readonly OffsetSample[],
  inForceUs: number | undefined,
): OffsetSample | undefined {
  const best = bestOf(samples);
  if (best === undefined) return undefined;
  if (inForceUs === undefined) return best;
  const differenceUs = Math.abs(best.offsetUs - inForceUs);
  return differenceUs > Math.max(minStepUs, best.roundTripUs / 2) ? best : undefined;
}

function bestOf(samples: readonly OffsetSample[]): OffsetSample | undefined {
  let best: OffsetSample | undefined;
  for (const sample of samples) {
    if (best === undefined || sample.roundTripUs <= best.roundTripUs) best = sample;
  }
  return best;
}
