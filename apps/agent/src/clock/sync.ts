import { create } from '@bufbuild/protobuf';
import { type ClockRecord, ClockRecordSchema, type HeartbeatReply } from '@vantage/proto';
import type { AgentTime } from './agent-time.ts';
import { nextOffset, type OffsetSample, sampleOf, withSample } from './offset.ts';

/** Derives the offset to the controller's clock from the replies to heartbeats. */
export interface ClockSync {
  reply(reply: HeartbeatReply): void;
  /** Forgets the measurements so far, because the host slept. */
  forget(): void;
}

/**
 * Creates the synchronisation. `onOffset` receives each new offset and by how many microseconds the corrected clock
 * moved.
 */
export function createClockSync(deps: {
  readonly time: AgentTime;
  /** Whether an offset is in force already, from an earlier run. */
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
