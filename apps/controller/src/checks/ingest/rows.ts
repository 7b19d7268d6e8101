import { checkId, dayUs } from '@vantage/domain';
import { type Kysely, sql } from 'kysely';
import {
  bigintArray,
  type CopyColumn,
  copyRows,
  intArray,
  largestInt,
  type Row,
  startOfDay,
  type Tables,
} from '../../platform/db/index.ts';
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

/** A check with the number of its facts (check-facts.ts); null: the row has its own text and extended data. */
export interface NumberedCheck {
  readonly row: CheckRow;
  readonly factsNo: number | null;
}

const columns: readonly CopyColumn<NumberedCheck>[] = [
  { name: 'device_no', type: 'int', value: ({ row }) => row.device_no },
  { name: 'start_us', type: 'bigint', value: ({ row }) => row.start_us },
  { name: 'agent_no', type: 'int', value: ({ row }) => row.agent_no },
  { name: 'location_no', type: 'int', value: ({ row }) => wide(row.location_no, small) },
  { name: 'location_small', type: 'smallint', value: ({ row }) => small(row.location_no) },
  {
    name: 'end_us',
    type: 'bigint',
    value: ({ row }) => (row.end_us === addedEndUs(row) ? null : row.end_us),
  },
  {
    name: 'arrived_us',
    type: 'bigint',
    value: ({ row }) => (arrivedAfterUs(row) === null ? row.arrived_us : null),
  },
  { name: 'arrived_after_us', type: 'int', value: ({ row }) => arrivedAfterUs(row) },
  { name: 'revision', type: 'int', value: ({ row }) => wide(row.revision, small) },
  { name: 'revision_small', type: 'smallint', value: ({ row }) => small(row.revision) },
  { name: 'attempt', type: 'smallint', value: ({ row }) => row.attempt || null },
  { name: 'code', type: 'smallint', value: ({ row }) => row.code },
  { name: 'perf', type: 'smallint', value: ({ row }) => row.perf || null },
  ...(['block', 'dns', 'connect', 'ssl', 'ttfb', 'ttlb'] as const).flatMap(phaseColumns),
  {
    name: 'data_size',
    type: 'double precision',
    value: ({ row }) => (isInt(row.data_size) ? null : row.data_size),
  },
  {
    name: 'data_bytes',
    type: 'int',
    value: ({ row }) => (isInt(row.data_size) ? row.data_size || null : null),
  },
  { name: 'facts_no', type: 'smallint', value: ({ factsNo }) => factsNo },
  {
    name: 'check_result',
    type: 'text',
    value: ({ row, factsNo }) => (factsNo === null ? row.check_result : null),
  },
  { name: 'retry_id', type: 'text', value: ({ row }) => row.retry_id },
  { name: 'run_request_id', type: 'text', value: ({ row }) => row.run_request_id },
  {
    name: 'extended',
    type: 'jsonb',
    value: ({ row, factsNo }) => (factsNo === null ? extendedOf(row) : null),
  },
  { name: 'behind_anchor', type: 'boolean', value: ({ row }) => row.behind_anchor },
];

/** The two columns of a phase: a real, and a small one where the phase fits. */
function phaseColumns(
  phase: 'block' | 'dns' | 'connect' | 'ssl' | 'ttfb' | 'ttlb',
): readonly CopyColumn<NumberedCheck>[] {
  const ms = `${phase}_ms` as const;
  return [
    { name: ms, type: 'real', value: ({ row }) => wide(row[ms] || null, smallPhase) },
    { name: `${phase}_small`, type: 'smallint', value: ({ row }) => smallPhase(row[ms]) },
  ];
}

/** The number where its small column has none. */
function wide(value: number | null, toSmall: (value: number) => number | null): number | null {
  return value === null || toSmall(value) !== null ? null : value;
}

/** The value of the small column; null: it does not fit. */
function small(value: number): number | null {
  return value >= -32_768 && value <= 32_767 ? value : null;
}

/**
 * A phase of whole microseconds, less 32,768, from which the view makes the same real again; null: there is none, or it
 * is 0.
 */
function smallPhase(ms: number): number | null {
  const us = Math.round(ms * 1000);
  return us > 0 && us <= 65_535 && Math.fround(us / 1000) === Math.fround(ms) ? us - 32_768 : null;
}

/** The end that the view `checks` adds up where a row has none, by the same steps: reals as float8, from the left. */
function addedEndUs(row: CheckRow): number {
  const { fround } = Math;
  const ms =
    fround(row.dns_ms) +
    fround(row.connect_ms) +
    fround(row.ssl_ms) +
    fround(row.ttfb_ms) +
    fround(row.ttlb_ms);
  return row.start_us + Math.floor(ms * 1000 + 0.5);
}

/** Microseconds from the start to the arrival; null where they do not fit into an int. */
function arrivedAfterUs(row: CheckRow): number | null {
  const afterUs = row.arrived_us - row.start_us;
  return Math.abs(afterUs) <= largestInt ? afterUs : null;
}

function isInt(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) <= largestInt;
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

const withoutNumbers: NumberFacts = async (_trx, rows) => rows.map((row) => ({ row, factsNo: null }));

/**
 * Inserts rows of one agent in one COPY and returns those that are new; of rows with the same key the first one. The
 * devices' locks are held, so no other transaction inserts checks of these devices between the question and the COPY
 * (docs/adr/0017-check-rows.md).
 */
export async function insertChecks(
  trx: Kysely<Tables>,
  rows: readonly CheckRow[],
  numberFacts: NumberFacts = withoutNumbers,
): Promise<CheckRow[]> {
  const [first] = rows;
  if (first === undefined) return [];
  const { rows: stored } = await storedKeys(first.agent_no, rows).execute(trx);
  const fresh = withoutStored(rows, stored);
  if (fresh.length > 0) {
    const numbered = await numberFacts(trx, fresh);
    // Most columns are empty in all rows of a batch.
    const used = columns.filter(({ value }) => numbered.some((one) => value(one) !== null));
    const names = sql.join(used.map(({ name }) => sql.ref(name)));
    await copyRows(trx, sql`copy check_rows (${names}) from stdin (format binary)`, used, numbered);
  }
  return fresh;
}

/** The rows that are not stored, each key once. Nearly always none is stored and each device has one row. */
function withoutStored(
  rows: readonly CheckRow[],
  stored: readonly Pick<CheckRow, 'device_no' | 'start_us'>[],
): CheckRow[] {
  const devices = new Set<number>();
  for (const row of rows) devices.add(row.device_no);
  if (stored.length === 0 && devices.size === rows.length) return [...rows];
  const seen = new Set(stored.map(keyOf));
  return rows.filter((row) => {
    const key = keyOf(row);
    return !seen.has(key) && seen.add(key);
  });
}

/**
 * The keys of those rows that are stored. The days stand in the text, so that the plan has their partitions only. A
 * question for each key is answered by the index, also by a plan that was made while the day was empty; a join would
 * read all of the day then.
 */
export function storedKeys(agentNo: number, rows: readonly Pick<CheckRow, 'device_no' | 'start_us'>[]) {
  let [firstUs, lastUs] = [Number.MAX_SAFE_INTEGER, 0];
  for (const { start_us: us } of rows) {
    firstUs = Math.min(firstUs, us);
    lastUs = Math.max(lastUs, us);
  }
  return sql<Pick<CheckRow, 'device_no' | 'start_us'>>`
    select g.device_no, g.start_us
    from unnest(${intArray(rows.map((row) => row.device_no))}::int[], ${bigintArray(rows.map((row) => row.start_us))}::bigint[])
      as g (device_no, start_us)
    cross join lateral (
      select c.device_no from check_rows c where c.device_no = g.device_no and c.start_us = g.start_us and c.agent_no = ${agentNo}
        and c.start_us >= ${sql.lit(startOfDay(firstUs))} and c.start_us < ${sql.lit(startOfDay(lastUs) + dayUs)}
      group by c.device_no) stored`;
}

function keyOf(row: Pick<CheckRow, 'device_no' | 'start_us'>): string {
  return `${row.device_no}/${row.start_us}`;
}

/** The checks that answer a run request, with their ids. */
export function withIds(rows: readonly CheckRow[]) {
  return rows
    .filter((row) => row.run_request_id !== null)
    .map((row) => ({
      ...row,
      check_id: checkId({ deviceNo: row.device_no, startUs: row.start_us, agentNo: row.agent_no }),
    }));
}
