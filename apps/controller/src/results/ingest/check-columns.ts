import { type CopyColumn, largestInt } from '@vantage/storage';
import { type CheckRow, extendedOf, type NumberedCheck } from './check-row.ts';

export const columns: readonly CopyColumn<NumberedCheck>[] = [
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
  { name: 'measured', type: 'double precision[]', value: ({ row }) => row.measured },
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
