import type { AgentTime } from './agent-time.ts';
import type { Coverage } from './coverage.ts';
import { type Lateness, nothingMeasured } from './lateness.ts';
import type { Link } from './link.ts';
import type { Outbox } from './outbox/outbox.ts';
import type { Uplink } from './uplink.ts';

/**
 * Tells the controller how the agent is, and asks for its clock; false when there is no stream. Out of turn, without a measured
 * lateness, it tells the one that was told last, and no checks, which count once.
 */
export type Beat = (lateness?: Lateness) => boolean;

/** Makes it. */
export function createBeat(deps: {
  readonly link: Pick<Link, 'isUp' | 'send'>;
  readonly time: AgentTime;
  readonly outbox: Pick<Outbox, 'records' | 'bytes'>;
  readonly uplink: Pick<Uplink, 'blindReason'>;
  readonly coverage: Pick<Coverage, 'toldUs'>;
}): Beat {
  const { link, time, outbox, uplink, coverage } = deps;
  let sequence = 0n;
  let told = nothingMeasured;
  return (lateness = { ...told, started: 0, skipped: 0 }) => {
    if (!link.isUp) return false;
    told = lateness;
    sequence += 1n;
    return link.send({
      case: 'heartbeat',
      value: {
        sequence,
        sentUs: BigInt(time.rawUs()),
        clockOffsetUs: BigInt(time.offsetUs),
        backlogRecords: BigInt(outbox.records),
        backlogBytes: BigInt(outbox.bytes),
        latenessP50Ms: lateness.p50Ms,
        latenessP99Ms: lateness.p99Ms,
        checksStarted: lateness.started,
        checksSkipped: lateness.skipped,
        blindReason: uplink.blindReason,
        coveredToUs: BigInt(Math.round(coverage.toldUs)),
      },
    });
  };
}
