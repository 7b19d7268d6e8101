import type { storedSums } from './write-sums.ts';

/** A row of roll-ups; the columns have the values that the database returns. */
export type SumRow = { readonly bucket_us: number; readonly location_no: number } & {
  readonly [K in (typeof storedSums)[number]]: unknown;
};

/** A column whose stored sum is another one than the computed sum. */
interface ColumnDifference {
  readonly column: string;
  readonly stored: unknown;
  readonly computed: unknown;
}

/** An hour or day of a Location whose sums differ; a missing row has no columns. */
export interface SumDifference {
  readonly bucketUs: number;
  readonly locationNo: number;
  readonly columns: readonly ColumnDifference[];
}

/** Floating-point numbers are added in any order. */
export const tolerance = 1e-9;

/**
 * The rows that differ. A row without a computed one counts too: there is no check for it. Phases are compared where
 * the stored row has them, because version 0.2.0 rolled up without them. Pure.
 */
export function differencesOf(
  stored: readonly SumRow[],
  computed: readonly SumRow[],
  columns: typeof storedSums,
): readonly SumDifference[] {
  const known = new Map(stored.map((row) => [keyOf(row), row]));
  const right = new Map(computed.map((row) => [keyOf(row), row]));
  const keys = new Set([...known.keys(), ...right.keys()]);
  return [...keys].flatMap((key) => {
    const [one, other] = [known.get(key), right.get(key)];
    const row = one ?? other;
    if (row === undefined) return [];
    const compared = one?.phase_sums === null ? columns.filter(isNoPhase) : columns;
    const differing = compared
      .map((column) => ({ column, stored: one?.[column] ?? null, computed: other?.[column] ?? null }))
      .filter(({ column, ...values }) => !isSame(column, values.stored, values.computed));
    if (differing.length === 0) return [];
    return [{ bucketUs: row.bucket_us, locationNo: row.location_no, columns: differing }];
  });
}

function keyOf({ bucket_us, location_no }: SumRow): string {
  return `${bucket_us}/${location_no}`;
}

function isNoPhase(column: string): boolean {
  return !column.startsWith('phase_');
}

function isSame(column: string, one: unknown, other: unknown): boolean {
  if (one === null || other === null) return one === other;
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other) === 0;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((each, i) => isSame(column, each, other[i]));
  const [a, b] = [Number(one), Number(other)];
  // These two are stored as `real`.
  if (column === 'min_ms' || column === 'max_ms') return Math.fround(a) === Math.fround(b);
  return Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(a), Math.abs(b));
}
