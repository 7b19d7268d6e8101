import { type Kysely, sql } from 'kysely';
import type { Tables } from '../db/index.ts';
import type { CheckRow } from './rows.ts';

/**
 * Adds new checks to the sums of their account, by agent, Location, Method and ResultCode. One statement. Rows are written in the order
 * of their key, so that two transactions never wait for each other.
 */
export async function addCheckCounts(
  trx: Kysely<Tables>,
  sender: { readonly accountNo: number; readonly agentNo: number },
  rows: readonly CheckRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const { accountNo, agentNo } = sender;
  await sql`
    insert into check_counts as c (account_no, location_no, agent_no, method, code, checks, duration_ms)
    select ${accountNo}::int, g.location_no, ${agentNo}::int, d.method, g.code, count(*), sum(g.ms)
    from unnest(${rows.map((row) => row.device_no)}::int[], ${rows.map((row) => row.location_no)}::int[],
      ${rows.map((row) => row.code)}::smallint[], ${rows.map(requestMs)}::double precision[])
      as g (device_no, location_no, code, ms)
    join devices d using (device_no)
    group by g.location_no, d.method, g.code order by g.location_no, d.method, g.code
    on conflict (account_no, location_no, agent_no, method, code) do update
      set checks = c.checks + excluded.checks, duration_ms = c.duration_ms + excluded.duration_ms`.execute(
    trx,
  );
}

/** No check takes a day. A longer time comes from a broken agent, and must not spoil the sum. */
const longestMs = 86_400_000;

/** `RequestTime`: the sum of the phases. */
function requestMs(row: CheckRow): number {
  const ms = row.dns_ms + row.connect_ms + row.ssl_ms + row.ttfb_ms + row.ttlb_ms;
  return ms > 0 ? Math.min(ms, longestMs) : 0;
}
