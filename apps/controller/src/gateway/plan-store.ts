import { type Kysely, sql } from 'kysely';
import type { Row, Tables } from '../db/index.ts';

/** The version of an assignment; another value means that the assignment changed. */
export interface Version {
  readonly device_no: number;
  readonly revision: number;
  readonly rotation_index: number;
  readonly rotation_size: number;
  readonly retries_locally: boolean;
  readonly run_immediately: boolean;
  /** Its approximate length on the wire. */
  readonly bytes: number;
}

/** A device with its assignment to an agent. */
export type AssignedDevice = Version &
  Pick<
    Row<'devices'>,
    | 'device_id'
    | 'method'
    | 'sealed'
    | 'frequency_min'
    | 'timeout_s'
    | 'retries'
    | 'retry_delay_s'
    | 'changed_us'
  >;

const held = sql`from assignment_spans s join devices d on d.device_no = s.device_no where s.to_us is null`;
const version = sql`s.device_no, d.revision, s.rotation_index, s.rotation_size, s.retries_locally, s.run_immediately, length(d.sealed) as bytes`;
const inFull = sql`${version}, d.device_id, d.method, d.sealed, d.frequency_min, d.timeout_s, d.retries, d.retry_delay_s,
  d.changed_us`;

/** An agent and the Location of its session. Its assignments at a Location that it left may stay open for a moment. */
interface AgentAtLocation {
  readonly agentNo: number;
  readonly locationNo: number;
}

/** The versions of all assignments of the agent at its Location. */
export async function loadVersions(
  db: Kysely<Tables>,
  { agentNo, locationNo }: AgentAtLocation,
): Promise<Version[]> {
  const { rows } = await sql<Version>`
    select ${version} ${held} and s.agent_no = ${agentNo} and s.location_no = ${locationNo} order by s.device_no`.execute(
    db,
  );
  return rows;
}

/** These devices in full, without those that are not assigned to the agent any more. */
export async function loadAssigned(
  db: Kysely<Tables>,
  { agentNo, locationNo }: AgentAtLocation,
  deviceNos: readonly number[],
): Promise<AssignedDevice[]> {
  if (deviceNos.length === 0) return [];
  const { rows } = await sql<AssignedDevice>`
    select ${inFull} ${held} and s.agent_no = ${agentNo} and s.location_no = ${locationNo}
      and s.device_no = any(${deviceNos}::int[]) order by s.device_no`.execute(db);
  return rows;
}

/** A device of the agent's Location with its assignment to another agent; undefined when it has none any more. */
export async function loadAssignedElsewhere(
  db: Kysely<Tables>,
  { locationNo }: { readonly locationNo: number },
  deviceNo: number,
): Promise<AssignedDevice | undefined> {
  const { rows } = await sql<AssignedDevice>`
    select ${inFull} ${held} and s.location_no = ${locationNo} and s.device_no = ${deviceNo}`.execute(db);
  return rows[0];
}

/**
 * A device of the agent's account that is assigned to no agent of its Location, for one check that is history only: its revision is 0, so
 * that the result changes no status. Undefined when there is no such device.
 */
export async function loadUnassigned(
  db: Kysely<Tables>,
  { accountNo }: { readonly accountNo: number },
  deviceNo: number,
): Promise<AssignedDevice | undefined> {
  const { rows } = await sql<AssignedDevice>`
    select d.device_no, 0 as revision, 0 as rotation_index, 1 as rotation_size, false as retries_locally,
      false as run_immediately, length(d.sealed) as bytes, d.device_id, d.method, d.sealed, d.frequency_min, d.timeout_s,
      d.retries, d.retry_delay_s, d.changed_us
    from devices d where d.device_no = ${deviceNo} and d.account_no = ${accountNo}`.execute(db);
  return rows[0];
}
