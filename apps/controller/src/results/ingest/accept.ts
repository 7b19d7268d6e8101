import { minuteUs } from '@vantage/domain';
import type { ParsedResult } from './parse-record.ts';

/** A span in which the device was assigned to the agent; `toUs` null while it lasts. */
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

/** A Location that the agent had until `toUs`, which is not included; null while it has it. */
export interface LocationSpan {
  readonly locationNo: number;
  readonly toUs: number | null;
}

/** The Location that the agent had at this moment. `spans` are in order of time, and the last one lasts. Pure. */
export function locationAt(spans: readonly LocationSpan[], atUs: number): number {
  const span = spans.find(({ toUs }) => toUs === null || atUs < toUs);
  if (span === undefined) throw new Error('the agent has no Location');
  return span.locationNo;
}

/** A requested check of this agent. */
export interface ExpectedCheck {
  readonly deviceNo: number;
  readonly createdUs: number;
  readonly deadlineUs: number;
}

/** The devices of a batch, by number; one that is not here is gone, or another account's. */
export type KnownDevices = ReadonlyMap<number, { readonly createdUs: number }>;

/** The facts that decide whether ingest accepts a result. */
export interface Acceptance {
  readonly nowUs: number;
  /** Ingest refuses results that started before this. */
  readonly oldestUs: number;
  readonly devices: KnownDevices;
  readonly assigned: ReadonlyMap<number, readonly AssignedSpan[]>;
  readonly connected: readonly ConnectedSpan[];
  /** By run request id; only run requests to this agent. */
  readonly requested: ReadonlyMap<string, ExpectedCheck>;
}

/** Clocks differ, and an agent learns of a change a moment later. */
const toleranceUs = minuteUs;

/** A result that started further ahead than this comes from a wrong clock. */
export const futureUs = 300_000_000;

/** Why ingest refuses a result for its time: it may be right, and the controller's clock wrong. */
const ofTime = {
  old: 'older than the retention of checks',
  future: 'more than 5 minutes in the future',
  notHeld: 'the agent did not hold this device then',
  notCreated: 'the device did not exist then',
};

const reasonsOfTime: ReadonlySet<string> = new Set(Object.values(ofTime));

/** Whether ingest refused a record for its time. */
export function isOfTime(reason: string): boolean {
  return reasonsOfTime.has(reason);
}

/** Why ingest refuses a result; undefined when it accepts it. Pure. */
export function refusal(result: ParsedResult, acceptance: Acceptance): string | undefined {
  if (result.startUs < acceptance.oldestUs) return ofTime.old;
  if (result.startUs > acceptance.nowUs + futureUs) return ofTime.future;
  const stranger = strangerReason(result, acceptance.devices);
  if (stranger !== undefined) return stranger;
  const spans = acceptance.assigned.get(result.deviceNo) ?? [];
  if (
    !spans.some((span) => wasAssigned(span, result.startUs, acceptance.connected)) &&
    !isRequested(result, acceptance)
  )
    return ofTime.notHeld;
  return undefined;
}

/**
 * Why a record is not about the device that has its number now; undefined when it is. After a restore a number may
 * belong to another device. The time of creation proves which one is meant; a record without it, of an earlier agent,
 * must not be older than the device. Pure.
 */
export function strangerReason(
  record: Pick<ParsedResult, 'deviceNo' | 'deviceCreatedUs' | 'startUs'>,
  devices: KnownDevices,
): string | undefined {
  const createdUs = devices.get(record.deviceNo)?.createdUs;
  if (createdUs === undefined) return undefined;
  if (record.deviceCreatedUs !== 0)
    return record.deviceCreatedUs === createdUs ? undefined : 'another device had this number';
  return record.startUs < createdUs ? ofTime.notCreated : undefined;
}

/**
 * Whether a result is about a device that was deleted while its check ran or its result was in transit. The device no
 * longer exists. `deleted` has the times by number; a check that started well after it is the agent's fault. Pure.
 */
export function isOfDeleted(
  { deviceNo, startUs }: Pick<ParsedResult, 'deviceNo' | 'startUs'>,
  deleted: ReadonlyMap<number, number>,
): boolean {
  const deletedUs = deleted.get(deviceNo);
  return deletedUs !== undefined && startUs <= deletedUs + toleranceUs;
}

/** Whether a run request of this device is open at this agent. */
function isRequested({ runRequestId, deviceNo, startUs }: ParsedResult, { requested }: Acceptance): boolean {
  const request = runRequestId === null ? undefined : requested.get(runRequestId);
  if (request?.deviceNo !== deviceNo) return false;
  return startUs >= request.createdUs - toleranceUs && startUs <= request.deadlineUs + toleranceUs;
}

/**
 * A device that moved to another agent while this one was cut off counts as assigned to this one until it is connected
 * again, because it cannot know of the change.
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
