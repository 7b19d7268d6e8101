import { type Kysely, sql } from 'kysely';
import type { Row, Tables } from '../db/index.ts';
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

const columns = [
  ['device_no', 'int'],
  ['start_us', 'bigint'],
  ['agent_no', 'int'],
  ['location_no', 'int'],
  ['end_us', 'bigint'],
  ['arrived_us', 'bigint'],
  ['revision', 'int'],
  ['attempt', 'smallint'],
  ['code', 'smallint'],
  ['perf', 'smallint'],
  ['block_ms', 'real'],
  ['dns_ms', 'real'],
  ['connect_ms', 'real'],
  ['ssl_ms', 'real'],
  ['ttfb_ms', 'real'],
  ['ttlb_ms', 'real'],
  ['data_size', 'double precision'],
  ['check_result', 'text'],
  ['retry_id', 'text'],
  ['run_request_id', 'text'],
  ['extended', 'jsonb'],
  ['behind_anchor', 'boolean'],
] as const satisfies readonly (readonly [keyof CheckRow, string])[];

const names = sql.join(columns.map(([name]) => sql.ref(name)));

/** Inserts rows in one statement and returns those that are new; of rows with the same key the first one. */
export async function insertChecks(trx: Kysely<Tables>, rows: readonly CheckRow[]): Promise<CheckRow[]> {
  if (rows.length === 0) return [];
  const arrays = columns.map(([name, type]) => sql`${rows.map((row) => row[name])}::${sql.raw(type)}[]`);
  const { rows: inserted } = await sql<{ device_no: number; start_us: number }>`
    insert into checks (${names}) select * from unnest(${sql.join(arrays)})
    on conflict do nothing returning device_no, start_us`.execute(trx);
  if (inserted.length === rows.length) return [...rows];
  const fresh = new Set(inserted.map((row) => `${row.device_no}/${row.start_us}`));
  return rows.filter((row) => fresh.delete(`${row.device_no}/${row.start_us}`));
}
