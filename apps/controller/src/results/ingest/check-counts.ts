import { dayMs } from '@vantage/domain';
import type { LockedDevice, Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { CheckRow } from './check-row.ts';

/**
 * Adds new checks to the sums of their account, by agent, Location, Method and ResultCode. `devices` are those that
 * exist, by their numbers. One statement. Rows are written in the order of their key, so that two transactions never
 * wait for each other.
 */
export async function addCheckCounts(
  trx: Kysely<Tables>,
  sender: { readonly accountNo: number; readonly agentNo: number },
  rows: readonly CheckRow[],
  devices: ReadonlyMap<number, Pick<LockedDevice, 'method'>>,
): Promise<void> {
  const sums = [...sumsOf(rows, devices)];
  if (sums.length === 0) return;
  const { accountNo, agentNo } = sender;
  await sql`
    insert into check_counts as c (account_no, location_no, agent_no, method, code, checks, duration_ms)
    select ${accountNo}::int, g.location_no, ${agentNo}::int, g.method, g.code, g.checks, g.ms
    from unnest(${sums.map((sum) => sum.locationNo)}::int[], ${sums.map((sum) => sum.method)}::text[],
      ${sums.map((sum) => sum.code)}::smallint[], ${sums.map((sum) => sum.checks)}::bigint[],
      ${sums.map((sum) => sum.ms)}::double precision[])
      as g (location_no, method, code, checks, ms)
    order by g.location_no, g.method, g.code
    on conflict (account_no, location_no, agent_no, method, code) do update
      set checks = c.checks + excluded.checks, duration_ms = c.duration_ms + excluded.duration_ms`.execute(
    trx,
  );
}

interface CheckSum {
  readonly locationNo: number;
  readonly method: string;
  readonly code: number;
  checks: number;
  ms: number;
}

function sumsOf(
  rows: readonly CheckRow[],
  devices: ReadonlyMap<number, Pick<LockedDevice, 'method'>>,
): Iterable<CheckSum> {
  const sums = new Map<string, CheckSum>();
  let last: CheckSum | undefined;
  for (const row of rows) {
    const method = devices.get(row.device_no)?.method;
    if (method === undefined) continue;
    const { location_no: locationNo, code } = row;
    if (last?.locationNo !== locationNo || last.code !== code || last.method !== method) {
      const key = `${locationNo} ${code} ${method}`;
      last = sums.get(key) ?? { locationNo, method, code, checks: 0, ms: 0 };
      sums.set(key, last);
    }
    last.checks += 1;
    last.ms += requestMs(row);
  }
  return sums.values();
}

/** No check takes a day. A longer time comes from a broken agent, and must not spoil the sum. */
const maxMs = dayMs;

/** `RequestTime`: the sum of the phases. */
function requestMs(row: CheckRow): number {
  const ms = row.dns_ms + row.connect_ms + row.ssl_ms + row.ttfb_ms + row.ttlb_ms;
  return ms > 0 ? Math.min(ms, maxMs) : 0;
}
