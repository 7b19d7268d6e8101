import { bigintArray, intArray, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { AssignedSpan, ConnectedSpan, LocationSpan } from './accept.ts';

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
