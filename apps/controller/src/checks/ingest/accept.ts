import { minuteUs } from '@vantage/domain';
import { type Kysely, sql } from 'kysely';
import { bigintArray, intArray, type Tables } from '../../platform/db/index.ts';
import type { ParsedResult } from './record.ts';

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

/** A check that a run request asked of this agent. */
export interface RequestedCheck {
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
  readonly requested: ReadonlyMap<string, RequestedCheck>;
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
 * Whether a result is about a device that was deleted while its check ran or its result was on the way: nobody can ask
 * for it any more. `deleted` has the times by number; a check that started well after it is the agent's fault. Pure.
 */
export function isOfDeleted(
  { deviceNo, startUs }: Pick<ParsedResult, 'deviceNo' | 'startUs'>,
  deleted: ReadonlyMap<number, number>,
): boolean {
  const deletedUs = deleted.get(deviceNo);
  return deletedUs !== undefined && startUs <= deletedUs + toleranceUs;
}

/** Whether a run request asked this agent for a check of this device. */
function isRequested({ runRequestId, deviceNo, startUs }: ParsedResult, { requested }: Acceptance): boolean {
  const asked = runRequestId === null ? undefined : requested.get(runRequestId);
  if (asked?.deviceNo !== deviceNo) return false;
  return startUs >= asked.createdUs - toleranceUs && startUs <= asked.deadlineUs + toleranceUs;
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

/**
 * The spans in which devices were assigned to this agent, as far as they matter for its results. `firsts` are the
 * starts of the first results, by device. Of nearly all devices the present span began before and decides; such a
 * device has one span here, from its first result on. The sum keeps PostgreSQL from the index of agents: it would read
 * all devices of the agent for each one.
 */
export async function assignedSpans(
  trx: Kysely<Tables>,
  agentNo: number,
  firsts: ReadonlyMap<number, number>,
): Promise<Map<number, readonly AssignedSpan[]>> {
  const assigned = new Map<number, readonly AssignedSpan[]>();
  for (const [deviceNo, fromUs] of firsts) assigned.set(deviceNo, [{ deviceNo, fromUs, toUs: null }]);
  const { rows: others } = await sql<{ deviceNo: number }>`
    select g.device_no as "deviceNo"
    from unnest(${intArray([...firsts.keys()])}::int[], ${bigintArray([...firsts.values()])}::bigint[]) as g (device_no, first_us)
    where (select true from assignment_spans s where s.device_no = g.device_no and s.to_us is null
      and s.agent_no + 0 = ${agentNo} and s.from_us <= g.first_us limit 1) is null`.execute(trx);
  if (others.length === 0) return assigned;
  const deviceNos = others.map(({ deviceNo }) => deviceNo);
  const spans = await allSpans(trx, agentNo, deviceNos);
  for (const deviceNo of deviceNos) assigned.set(deviceNo, spans.get(deviceNo) ?? []);
  return assigned;
}

async function allSpans(
  trx: Kysely<Tables>,
  agentNo: number,
  deviceNos: readonly number[],
): Promise<Map<number, AssignedSpan[]>> {
  const rows = await trx
    .selectFrom('assignment_spans')
    .select(['device_no as deviceNo', 'from_us as fromUs', 'to_us as toUs'])
    .where('agent_no', '=', agentNo)
    .where(sql<boolean>`device_no = any(${deviceNos}::int[])`)
    .execute();
  return Map.groupBy(rows, (row) => row.deviceNo);
}

/** The spans in which this agent's stream was up, from the span that contains `sinceUs` on. */
export async function connectedSpans(
  trx: Kysely<Tables>,
  agentNo: number,
  sinceUs: number,
): Promise<ConnectedSpan[]> {
  return trx
    .selectFrom('connection_spans')
    .select(['from_us as fromUs', 'to_us as toUs'])
    .where('agent_no', '=', agentNo)
    .where((eb) => eb.or([eb('to_us', 'is', null), eb('to_us', '>=', sinceUs)]))
    .execute();
}

/** When devices of an account were deleted, by number; those that are longer gone than a day are not remembered. */
export async function deletedDevices(
  trx: Kysely<Tables>,
  accountNo: number,
  deviceNos: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await trx
    .selectFrom('deleted_devices')
    .select(['device_no', 'deleted_us'])
    .where('account_no', '=', accountNo)
    .where(sql<boolean>`device_no = any(${deviceNos}::int[])`)
    .execute();
  return new Map(rows.map((row) => [row.device_no, row.deleted_us]));
}

/** The Locations of this agent from `sinceUs` on, in order of time; the last one is the present one. */
export async function locationsSince(
  trx: Kysely<Tables>,
  agentNo: number,
  sinceUs: number,
): Promise<LocationSpan[]> {
  const { rows } = await sql<LocationSpan>`
    select location_no as "locationNo", to_us as "toUs" from former_locations
    where agent_no = ${agentNo} and to_us > ${sinceUs}::bigint
    union all select location_no, null from agents where agent_no = ${agentNo}
    order by "toUs" nulls last`.execute(trx);
  return rows;
}
