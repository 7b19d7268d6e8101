import { dayUs } from '@vantage/domain';
import { type Kysely, sql } from 'kysely';
import { type CopyColumn, copyRows, type Row, startOfDay, type Tables } from '../db/index.ts';
import type { ParsedResult } from './record.ts';

/** A row of `checks`. */
export type CheckRow = Row<'checks'>;

/** `PerfStat` as stored. */
export const perf = { ok: 0, slow: 1, error: 2 } as const;

/** The row of a result. */
export function toRow(
  result: ParsedResult,
  agent: { readonly agentNo: number; readonly locationNo: number },
  perfStat: number,
  arrivedUs: number,
): CheckRow {
  return {
    device_no: result.deviceNo,
    start_us: result.startUs,
    agent_no: agent.agentNo,
    location_no: agent.locationNo,
    end_us: result.endUs,
    arrived_us: arrivedUs,
    revision: result.revision,
    attempt: result.attempt,
    code: result.code,
    perf: perfStat,
    block_ms: result.blockMs,
    dns_ms: result.dnsMs,
    connect_ms: result.connectMs,
    ssl_ms: result.sslMs,
    ttfb_ms: result.ttfbMs,
    ttlb_ms: result.ttlbMs,
    data_size: result.dataSize,
    check_result: result.text,
    retry_id: result.retryId,
    run_request_id: result.runRequestId,
    extended: result.extended,
    behind_anchor: result.behindAnchor || null,
  };
}

const columns: readonly CopyColumn<CheckRow>[] = [
  { name: 'device_no', type: 'int', value: (row) => row.device_no },
  { name: 'start_us', type: 'bigint', value: (row) => row.start_us },
  { name: 'agent_no', type: 'int', value: (row) => row.agent_no },
  { name: 'location_no', type: 'int', value: (row) => row.location_no },
  { name: 'end_us', type: 'bigint', value: (row) => row.end_us },
  { name: 'arrived_us', type: 'bigint', value: (row) => row.arrived_us },
  { name: 'revision', type: 'int', value: (row) => row.revision },
  { name: 'attempt', type: 'smallint', value: (row) => row.attempt },
  { name: 'code', type: 'smallint', value: (row) => row.code },
  { name: 'perf', type: 'smallint', value: (row) => row.perf },
  { name: 'block_ms', type: 'real', value: (row) => row.block_ms },
  { name: 'dns_ms', type: 'real', value: (row) => row.dns_ms },
  { name: 'connect_ms', type: 'real', value: (row) => row.connect_ms },
  { name: 'ssl_ms', type: 'real', value: (row) => row.ssl_ms },
  { name: 'ttfb_ms', type: 'real', value: (row) => row.ttfb_ms },
  { name: 'ttlb_ms', type: 'real', value: (row) => row.ttlb_ms },
  { name: 'data_size', type: 'double precision', value: (row) => row.data_size },
  { name: 'check_result', type: 'text', value: (row) => row.check_result },
  { name: 'retry_id', type: 'text', value: (row) => row.retry_id },
  { name: 'run_request_id', type: 'text', value: (row) => row.run_request_id },
  {
    name: 'extended',
    type: 'jsonb',
    value: (row) => (typeof row.extended === 'string' ? row.extended : null),
  },
  { name: 'behind_anchor', type: 'boolean', value: (row) => row.behind_anchor },
];

const names = sql.join(columns.map(({ name }) => sql.ref(name)));

/**
 * Inserts rows of one agent in one COPY and returns those that are new; of rows with the same key the first one. The devices' locks are
 * held, so no other transaction inserts checks of these devices between the question and the COPY. The key of the table makes sure of it.
 */
export async function insertChecks(trx: Kysely<Tables>, rows: readonly CheckRow[]): Promise<CheckRow[]> {
  const [first] = rows;
  if (first === undefined) return [];
  const { rows: stored } = await storedKeys(first.agent_no, rows).execute(trx);
  const seen = new Set(stored.map(keyOf));
  const fresh = rows.filter((row) => {
    const key = keyOf(row);
    return !seen.has(key) && seen.add(key);
  });
  if (fresh.length > 0)
    await copyRows(trx, sql`copy checks (${names}) from stdin (format binary)`, columns, fresh);
  return fresh;
}

/**
 * The keys of those rows that are stored. The days stand in the text, so that the plan has their partitions only. A question for each key is
 * answered by the index, also by a plan that was made while the day was empty; a join would read all of the day then.
 */
export function storedKeys(agentNo: number, rows: readonly Pick<CheckRow, 'device_no' | 'start_us'>[]) {
  let [firstUs, lastUs] = [Number.MAX_SAFE_INTEGER, 0];
  for (const { start_us: us } of rows) {
    firstUs = Math.min(firstUs, us);
    lastUs = Math.max(lastUs, us);
  }
  return sql<Pick<CheckRow, 'device_no' | 'start_us'>>`
    select g.device_no, g.start_us
    from unnest(${rows.map((row) => row.device_no)}::int[], ${rows.map((row) => row.start_us)}::bigint[])
      as g (device_no, start_us)
    where (select true from checks c where c.device_no = g.device_no and c.start_us = g.start_us and c.agent_no = ${agentNo}
      and c.start_us >= ${sql.lit(startOfDay(firstUs))} and c.start_us < ${sql.lit(startOfDay(lastUs) + dayUs)}
      limit 1)`;
}

function keyOf(row: Pick<CheckRow, 'device_no' | 'start_us'>): string {
  return `${row.device_no}/${row.start_us}`;
}
