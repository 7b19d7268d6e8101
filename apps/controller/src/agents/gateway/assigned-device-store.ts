import { type StoredAnchor, storedAnchors } from '@vantage/domain';
import type { Row, Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** The version of an assignment; another value means that the assignment changed. */
export interface Version {
  readonly device_no: number;
  readonly revision: number;
  readonly rotation_index: number;
  readonly rotation_size: number;
  readonly retries_locally: boolean;
  readonly run_immediately: boolean;
  /** Another agent has the device in [until_us, from_us), microseconds since 1970; see the message Assignment. */
  readonly from_us: number;
  readonly until_us: number;
  /** Its approximate length on the wire. */
  readonly bytes: number;
}

/** The settings of a device that its agent needs. */
type AssignedSettings = Pick<
  Row<'devices'>,
  | 'device_id'
  | 'method'
  | 'sealed'
  | 'frequency_min'
  | 'frequency_s'
  | 'timeout_s'
  | 'retries'
  | 'retry_delay_s'
  | 'changed_us'
  | 'created_us'
>;

/** A device with its assignment to an agent. */
export type AssignedDevice = Version & AssignedSettings;

/** A `from_us` that never comes: the largest integer that a number of JavaScript holds. */
const neverUs = Number.MAX_SAFE_INTEGER;

const openSpans = sql`from assignment_spans s join devices d on d.device_no = s.device_no where s.to_us is null`;
const settings = sql`s.device_no, d.revision, s.rotation_index, s.rotation_size, s.retries_locally, s.run_immediately, length(d.sealed) as bytes`;
/** The assignment of an agent that no hand-over concerns. */
const version = sql`${settings}, 0::bigint as from_us, 0::bigint as until_us`;
const device = sql`d.device_id, d.method, d.sealed, d.frequency_min, d.frequency_s, d.timeout_s, d.retries, d.retry_delay_s, d.changed_us, d.created_us`;
const inFull = sql`${version}, ${device}`;

/** An agent and the Location of its session. Its assignments at a Location that it left may stay open for a moment. */
interface AgentAtLocation {
  readonly agentNo: number;
  readonly locationNo: number;
}

/** The versions of all assignments of the agent at its Location, those that it hands over in a moment included. */
export async function loadVersions(
  db: Kysely<Tables>,
  { agentNo, locationNo }: AgentAtLocation,
  nowUs: number,
): Promise<Version[]> {
  const ofAgent = sql`s.agent_no = ${agentNo} and s.location_no = ${locationNo}`;
  const { rows } = await sql<Version>`
    select ${settings}, case when s.handed_over then s.from_us else 0 end as from_us, 0::bigint as until_us ${openSpans} and ${ofAgent}
    union all
    select ${settings}, ${neverUs}::bigint, s.to_us from assignment_spans s join devices d on d.device_no = s.device_no
    where s.to_us > ${nowUs}::bigint and d.enabled and ${ofAgent}
    order by device_no`.execute(db);
  return joinSpans(rows);
}

/**
 * One version for each device. An agent that hands a device over and gets it back has two spans of it, which make one
 * window. Pure.
 */
function joinSpans(rows: readonly Version[]): Version[] {
  const byDevice = Map.groupBy(rows, (row) => row.device_no);
  return [...byDevice.values()].flatMap((spans) => {
    const first = spans.find((one) => one.from_us !== neverUs) ?? spans[0];
    return first ? { ...first, until_us: Math.max(...spans.map((one) => one.until_us)) } : [];
  });
}

/** The anchors of the agent's Location, near to far. A stored value that cannot be read is none. */
export async function loadAnchors(
  db: Kysely<Tables>,
  { locationNo }: Pick<AgentAtLocation, 'locationNo'>,
): Promise<readonly StoredAnchor[]> {
  const row = await db
    .selectFrom('locations')
    .select('anchors')
    .where('location_no', '=', locationNo)
    .executeTakeFirst();
  return storedAnchors.safeParse(row?.anchors).data ?? [];
}

/** These assignments in full, without those of devices that were deleted meanwhile. */
export async function loadAssigned(
  db: Kysely<Tables>,
  versions: readonly Version[],
): Promise<AssignedDevice[]> {
  if (versions.length === 0) return [];
  const versionOf = new Map(versions.map((version) => [version.device_no, version]));
  const { rows } = await sql<AssignedSettings & Pick<Version, 'device_no' | 'revision' | 'bytes'>>`
    select d.device_no, d.revision, length(d.sealed) as bytes, ${device} from devices d
    where d.device_no = any(${[...versionOf.keys()]}::int[]) order by d.device_no`.execute(db);
  return rows.flatMap((row) => {
    const known = versionOf.get(row.device_no);
    return known ? { ...known, ...row } : [];
  });
}

/** A device of the agent's Location with its assignment to another agent; undefined when it has none. */
export async function loadAssignedElsewhere(
  db: Kysely<Tables>,
  { locationNo }: { readonly locationNo: number },
  deviceNo: number,
): Promise<AssignedDevice | undefined> {
  const { rows } = await sql<AssignedDevice>`
    select ${inFull} ${openSpans} and s.location_no = ${locationNo} and s.device_no = ${deviceNo}`.execute(
    db,
  );
  return rows[0];
}

/**
 * A device of the agent's account that is assigned to no agent of its Location, for one check that is history only: its
 * revision is 0, so that the result changes no status. Undefined when there is no such device.
 */
export async function loadUnassigned(
  db: Kysely<Tables>,
  { accountNo }: { readonly accountNo: number },
  deviceNo: number,
): Promise<AssignedDevice | undefined> {
  const { rows } = await sql<AssignedDevice>`
    select d.device_no, 0 as revision, 0 as rotation_index, 1 as rotation_size, false as retries_locally,
      false as run_immediately, 0::bigint as from_us, 0::bigint as until_us, length(d.sealed) as bytes, ${device}
    from devices d where d.device_no = ${deviceNo} and d.account_no = ${accountNo}`.execute(db);
  return rows[0];
}
