import type { AgentTime } from '../clock/agent-time.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Coverage } from '../schedule/coverage.ts';
import { type Lateness, nothingMeasured } from '../schedule/lateness.ts';
import type { Uplink } from '../uplink/uplink.ts';
import type { Link } from './link.ts';

/**
 * Tells the controller how the agent is, and asks for its clock; false when there is no stream. Out of turn, without a measured
 * lateness, it tells the one that was told last, and no checks, which count once.
 */
export type SendHeartbeat = (lateness?: Lateness) => boolean;

/** Makes it. */
export function createHeartbeatSender(deps: {
  readonly link: Pick<Link, 'isUp' | 'send'>;
  readonly time: AgentTime;
  readonly outbox: Pick<Outbox, 'records' | 'bytes'>;
  readonly uplink: Pick<Uplink, 'offlineReason'>;
  readonly coverage: Pick<Coverage, 'reportedUs'>;
}): SendHeartbeat {
  const { link, time, outbox, uplink, coverage } = deps;
  let sequence = 0n;
  let reported = nothingMeasured;
  return (lateness = { ...reported, started: 0, skipped: 0 }) => {
    if (!link.isUp) return false;
    reported = lateness;
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
        offlineReason: uplink.offlineReason,
        coveredToUs: BigInt(Math.round(coverage.reportedUs)),
      },
    });
  };
}
