import { AnchorReport_State } from '@vantage/proto';
import type { AgentTime } from '../clock/agent-time.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Coverage } from '../schedule/coverage.ts';
import { type Lateness, nothingMeasured } from '../schedule/lateness-meter.ts';
import type { ControllerLink } from '../stream/controller-link.ts';
import type { Anchors } from '../uplink/anchor-monitor.ts';
import type { AnchorState } from '../uplink/anchor-state.ts';

/**
 * Sends the agent's status to the controller and requests its clock. False: there is no stream. `offlineReason` is
 * empty while the uplink works. A heartbeat without a `lateness` repeats the last one. Each check counts in exactly one
 * heartbeat: a heartbeat that could not be sent leaves its checks to the next one.
 */
export type SendHeartbeat = (offlineReason: string, lateness?: Lateness) => boolean;

/** The maximum of the wire's field. */
const maxUint32 = 2 ** 32 - 1;

export function createHeartbeatSender(deps: {
  readonly link: Pick<ControllerLink, 'isUp' | 'send'>;
  readonly time: AgentTime;
  readonly outbox: Pick<Outbox, 'records' | 'bytes'>;
  readonly coverage: Pick<Coverage, 'reportedUs'>;
  /** Whether this agent is about to stop. */
  readonly isLeaving: () => boolean;
  readonly anchors: () => Anchors['states'];
}): SendHeartbeat {
  const { link, time, outbox, coverage, isLeaving, anchors } = deps;
  let sequence = 0n;
  let reported = nothingMeasured;
  let unsent: Pick<Lateness, 'started' | 'skipped'> = nothingMeasured;
  return (offlineReason, lateness = { ...reported, started: 0, skipped: 0 }) => {
    const checks = {
      started: Math.min(maxUint32, unsent.started + lateness.started),
      skipped: Math.min(maxUint32, unsent.skipped + lateness.skipped),
    };
    unsent = checks;
    if (!link.isUp) return false;
    reported = lateness;
    sequence += 1n;
    const isSent = link.send({
      case: 'heartbeat',
      value: {
        sequence,
        sentUs: BigInt(time.rawUs()),
        clockOffsetUs: BigInt(time.offsetUs),
        backlogRecords: BigInt(outbox.records),
        backlogBytes: BigInt(outbox.bytes),
        latenessP50Ms: lateness.p50Ms,
        latenessP99Ms: lateness.p99Ms,
        checksStarted: checks.started,
        checksSkipped: checks.skipped,
        offlineReason,
        coveredToUs: BigInt(Math.round(coverage.reportedUs)),
        leaving: isLeaving(),
        anchors: anchors().map(({ target, kind, sinceMs, text }) => ({
          target,
          text,
          state: reportedStates[kind],
          sinceUs: BigInt(Math.round(sinceMs * 1000)),
        })),
      },
    });
    if (isSent) unsent = nothingMeasured;
    return isSent;
  };
}

const reportedStates: Readonly<Record<AnchorState['kind'], AnchorReport_State>> = {
  new: AnchorReport_State.UNSPECIFIED,
  answers: AnchorReport_State.ANSWERS,
  silent: AnchorReport_State.SILENT,
  unchecked: AnchorReport_State.UNCHECKED,
};
