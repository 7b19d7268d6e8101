import type { Row } from '../schema/tables.ts';

/** A row of `checks` with its extended data as JSON text. */
export type PackedCheck = Omit<Row<'checks'>, 'extended'> & { readonly extended: string | null };

/** The columns of `checks` that are packed one by one; `measured` is packed series by series. */
export type PackedName = Exclude<keyof PackedCheck, 'measured'>;

/** The packing of a column of `checks`. */
export interface PackedColumn {
  readonly name: PackedName;
  /** `flags` and `texts` also accept null. */
  readonly kind: 'numbers' | 'flags' | 'texts';
  /** The likely value, computed from earlier columns. The difference is stored, so a wrong guess costs only space. */
  readonly likely?: (number: (name: PackedName) => number, dayUs: number) => number;
}

/** The key of a check in a device's day, after the column from which its likely value is computed. */
export const keyColumns: readonly PackedColumn[] = [
  { name: 'block_ms', kind: 'numbers' },
  // A check is due at a regular time, and starts late by BlockTime.
  {
    name: 'start_us',
    kind: 'numbers',
    likely: (number, dayUs) => dayUs + Math.round(number('block_ms') * 1000),
  },
  { name: 'agent_no', kind: 'numbers' },
];

/** All other columns of a check. */
export const factColumns: readonly PackedColumn[] = [
  { name: 'location_no', kind: 'numbers' },
  { name: 'revision', kind: 'numbers' },
  { name: 'attempt', kind: 'numbers' },
  { name: 'code', kind: 'numbers' },
  { name: 'perf', kind: 'numbers' },
  { name: 'dns_ms', kind: 'numbers' },
  { name: 'connect_ms', kind: 'numbers' },
  { name: 'ssl_ms', kind: 'numbers' },
  { name: 'ttfb_ms', kind: 'numbers' },
  { name: 'ttlb_ms', kind: 'numbers' },
  { name: 'end_us', kind: 'numbers', likely: (number) => number('start_us') + tookUs(number) },
  { name: 'arrived_us', kind: 'numbers', likely: (number) => number('end_us') },
  { name: 'data_size', kind: 'numbers' },
  { name: 'behind_anchor', kind: 'flags' },
  { name: 'check_result', kind: 'texts' },
  { name: 'retry_id', kind: 'texts' },
  { name: 'run_request_id', kind: 'texts' },
  { name: 'extended', kind: 'texts' },
];

const phases = ['dns_ms', 'connect_ms', 'ssl_ms', 'ttfb_ms', 'ttlb_ms'] as const;

function tookUs(number: (name: PackedName) => number): number {
  return Math.round(phases.reduce((sum, name) => sum + number(name), 0) * 1000);
}
