import type { Heartbeat } from '@vantage/proto';
import { clampHeartbeat } from './gate.ts';
import type { AgentStatus } from './store.ts';

/** The status of an agent after one more heartbeat; `before` is the status that is not stored yet. Pure. */
export function afterHeartbeat(
  before: AgentStatus | undefined,
  {
    heartbeat,
    receivedUs,
    ...session
  }: {
    readonly agentNo: number;
    readonly sessionId: string;
    readonly heartbeat: Heartbeat;
    readonly receivedUs: number;
  },
): AgentStatus {
  const clamped = clampHeartbeat(heartbeat);
  return {
    ...session,
    lastSeenUs: receivedUs,
    clockOffsetUs: Number(clamped.clockOffsetUs),
    backlogRecords: Number(clamped.backlogRecords),
    latenessP50Ms: clamped.latenessP50Ms,
    latenessP99Ms: clamped.latenessP99Ms,
    checksSkipped: (before?.checksSkipped ?? 0) + clamped.checksSkipped,
    offlineReason: clamped.offlineReason === '' ? null : clamped.offlineReason,
  };
}
