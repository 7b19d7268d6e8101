import type { Span } from '@vantage/domain';
import { declareShare } from '@vantage/kernel';
import { lockAgent, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

declareShare({
  name: 'records_in_quarantine',
  limit: '500 in a round',
  filledBy: 'agents',
  share: 'each agent has its own round',
});

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
