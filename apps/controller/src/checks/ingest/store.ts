import type { Span } from '@vantage/domain';
import { type Kysely, sql } from 'kysely';
import { bigintArray, intArray, lockAgent, type Tables } from '../../platform/db/index.ts';
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

/**
 * Joins the spans with those that touch them, all in one statement. The spans of an agent never overlap, so of those
 * that begin before a given one only the last can touch it.
 */
export async function mergeCoverage(
  trx: Kysely<Tables>,
  agentNo: number,
  spans: readonly Span[],
): Promise<void> {
  if (spans.length === 0) return;
  await lockAgent(trx, agentNo);
  await sql`
    with given as (
      select * from unnest(${spans.map((span) => span.fromUs)}::bigint[], ${spans.map((span) => span.toUs)}::bigint[])
        as g (from_us, to_us)
    ), touching as (
      select c.from_us from given g
      join coverage c on c.agent_no = ${agentNo} and c.from_us between g.from_us and g.to_us
      union
      select before.from_us from given g
      cross join lateral (select c.from_us, c.to_us from coverage c
        where c.agent_no = ${agentNo} and c.from_us < g.from_us order by c.from_us desc limit 1) before
      where before.to_us >= g.from_us
    ), taken_out as (
      delete from coverage c using touching t where c.agent_no = ${agentNo} and c.from_us = t.from_us
      returning c.from_us, c.to_us
    ), joined as (
      select unnest(range_agg(int8range(from_us, to_us))) as span
      from (select * from taken_out union all select * from given) as every_span
    )
    insert into coverage (agent_no, from_us, to_us) select ${agentNo}::int, lower(span), upper(span) from joined
    on conflict (agent_no, from_us) do update set to_us = greatest(coverage.to_us, excluded.to_us)`.execute(
    trx,
  );
}

/** Stores data gaps. A repeated one changes nothing. */
export async function insertGaps(
  trx: Kysely<Tables>,
  agentNo: number,
  gaps: readonly (Span & { gapId: string; droppedResults: number; reason: string })[],
): Promise<void> {
  if (gaps.length === 0) return;
  await trx
    .insertInto('gaps')
    .values(
      gaps.map((gap) => ({
        gap_id: gap.gapId,
        agent_no: agentNo,
        from_us: gap.fromUs,
        to_us: gap.toUs,
        dropped_results: gap.droppedResults,
        reason: gap.reason,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Stores the clock offsets that agents used. */
export async function insertClocks(
  trx: Kysely<Tables>,
  agentNo: number,
  clocks: readonly { atUs: number; offsetUs: number; roundTripUs: number }[],
): Promise<void> {
  if (clocks.length === 0) return;
  await trx
    .insertInto('clock_records')
    .values(
      clocks.map((one) => ({
        agent_no: agentNo,
        at_us: one.atUs,
        offset_us: one.offsetUs,
        round_trip_us: one.roundTripUs,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
