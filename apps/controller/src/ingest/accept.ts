import type { ParsedResult } from './record.ts';

/** A span in which the agent held the device; `toUs` null while it lasts. */
export interface AssignedSpan {
  readonly deviceNo: number;
  readonly fromUs: number;
  readonly toUs: number | null;
}

/** A span in which the agent's stream was up; `toUs` null while it lasts. */
export interface ConnectedSpan {
  readonly fromUs: number;
  readonly toUs: number | null;
}

/** A check that this agent was asked for. */
export interface RequestedCheck {
  readonly deviceNo: number;
  readonly createdUs: number;
  readonly deadlineUs: number;
}

/** What decides whether a result is taken. */
export interface Acceptance {
  readonly nowUs: number;
  /** Results that started before this have no place any more. */
  readonly oldestUs: number;
  readonly assigned: ReadonlyMap<number, readonly AssignedSpan[]>;
  readonly connected: readonly ConnectedSpan[];
  /** By order id; those that were told to this agent only. */
  readonly requested: ReadonlyMap<string, RequestedCheck>;
}

/** Clocks differ, and telling an agent of a change takes a moment. */
const toleranceUs = 60_000_000;
/** A result from further ahead than this is one of a wrong clock. */
export const futureUs = 300_000_000;

/** Why a result cannot be taken, or undefined when it can. Pure. */
export function refusal(result: ParsedResult, acceptance: Acceptance): string | undefined {
  if (result.startUs < acceptance.oldestUs) return 'older than the retention of checks';
  if (result.startUs > acceptance.nowUs + futureUs) return 'more than 5 minutes in the future';
  const spans = acceptance.assigned.get(result.deviceNo) ?? [];
  if (
    !spans.some((span) => wasAssigned(span, result.startUs, acceptance.connected)) &&
    !isRequested(result, acceptance)
  )
    return 'the agent did not hold this device then';
  return undefined;
}

/** Another agent's device, looked at because the controller asked for it. */
function isRequested({ runRequestId, deviceNo, startUs }: ParsedResult, { requested }: Acceptance): boolean {
  const order = runRequestId === null ? undefined : requested.get(runRequestId);
  if (order?.deviceNo !== deviceNo) return false;
  return startUs >= order.createdUs - toleranceUs && startUs <= order.deadlineUs + toleranceUs;
}

/**
 * A device that was given to another agent while this one was cut off stays in this one's hands, as far as it can know, until it
 * is connected again.
 */
function wasAssigned(span: AssignedSpan, startUs: number, connected: readonly ConnectedSpan[]): boolean {
  if (startUs < span.fromUs - toleranceUs) return false;
  const endUs = span.toUs;
  if (endUs === null) return true;
  const wasConnected = connected.some(
    (one) => one.fromUs <= endUs && (one.toUs === null || one.toUs >= endUs),
  );
  if (wasConnected) return startUs <= endUs + toleranceUs;
  const backUs = Math.min(...connected.filter((one) => one.fromUs > endUs).map((one) => one.fromUs));
  return startUs <= backUs + toleranceUs;
}
