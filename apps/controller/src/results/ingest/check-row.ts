import type { Row, Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import type { ParsedResult } from './parse-record.ts';

/** A row of `checks`. */
export type CheckRow = Row<'checks'>;

/** `PerfStat` as stored. */
export const perf = { ok: 0, slow: 1, error: 2 } as const;

/** The row of a result. `measured`: its values by the numbers of their series. */
export function toRow(
  result: ParsedResult,
  agent: { readonly agentNo: number; readonly locationNo: number },
  perfStat: number,
  arrivedUs: number,
  measured: CheckRow['measured'] = null,
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
    measured,
  };
}

/** A check with the number of its facts (check-facts.ts); null: the row has its own text and extended data. */
export interface NumberedCheck {
  readonly row: CheckRow;
  readonly factsNo: number | null;
}

/** The extended data of a check that is not stored yet: JSON text. */
export function extendedOf({ extended }: CheckRow): string | null {
  return typeof extended === 'string' ? extended : null;
}

/** Gives checks that repeat the facts of their device the number of these facts, in their order. */
export type NumberFacts = (
  trx: Kysely<Tables>,
  rows: readonly CheckRow[],
) => Promise<readonly NumberedCheck[]>;

export const withoutNumbers: NumberFacts = async (_trx, rows) => rows.map((row) => ({ row, factsNo: null }));
