import { clone } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { type AnchorReport, dayUs, maxAnchors } from '@vantage/domain';
import { AnchorReport_State, type Heartbeat, HeartbeatSchema } from '@vantage/proto';
import { toBigint, toText } from '@vantage/storage';
import type { AgentSessionStatus } from './agent-presence.ts';
import { nearest, scalarsOf } from './hello-problem.ts';

/**
 * A heartbeat whose every field fits a column: a value that is out of range becomes the nearest value in range. Pure.
 */
export function clampHeartbeat(heartbeat: Heartbeat): Heartbeat {
  const clamped = clone(HeartbeatSchema, heartbeat);
  const target = reflect(HeartbeatSchema, clamped);
  for (const { field, value } of scalarsOf(HeartbeatSchema, heartbeat)) target.set(field, nearest(value));
  return clamped;
}

/** The status of an agent after one more heartbeat; `before` is the status that is not stored yet. Pure. */
export function afterHeartbeat(
  before: AgentSessionStatus | undefined,
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
): AgentSessionStatus {
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
    anchors: reportsOf(heartbeat.anchors, receivedUs),
  };
}

/** Texts of a report, UTF-16 units. A Target is an address with a port. */
const [targetLength, textLength] = [100, 500];

/** A state that lasts longer than this began then, so that its event is not older than the events that are kept. */
const maxAgeUs = dayUs;

/** The reports on anchors, at most as many as a Location can have, with each field within its bounds. */
function reportsOf(anchors: Heartbeat['anchors'], receivedUs: number): readonly AnchorReport[] {
  return anchors.slice(0, maxAnchors).map(({ target, state, sinceUs, text }) => ({
    target: toText(target, targetLength),
    state: stateNames[state] ?? 'new',
    sinceUs: Math.min(receivedUs, Math.max(receivedUs - maxAgeUs, toBigint(sinceUs))),
    text: toText(text, textLength),
  }));
}

/** A state that only a later version knows counts as not checked. */
const stateNames: Readonly<Partial<Record<AnchorReport_State, AnchorReport['state']>>> = {
  [AnchorReport_State.ANSWERS]: 'answers',
  [AnchorReport_State.SILENT]: 'silent',
  [AnchorReport_State.UNCHECKED]: 'unchecked',
};
