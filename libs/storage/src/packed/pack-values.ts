import { type ByteReader, PackedBytesError, sizeBytes } from './byte-reader.ts';
import { packNumbers, unpackNumbers } from './pack-numbers.ts';
import type { PackedCheck } from './packed-columns.ts';

/** The values of a check: those of series n at position n; the last one is a number. Null: there are none. */
type Measured = PackedCheck['measured'];

/** A `smallint` has no larger one. */
const maxSeriesNo = 32_767;

/**
 * The values of checks as bytes, series by series: how many series have values, and for each its number, the checks
 * that have a value (0 or 1 each), and the values. Undefined where no check has values.
 */
export function packValues(all: readonly Measured[]): readonly Uint8Array[] | undefined {
  const width = all.reduce((most, measured) => Math.max(most, measured?.length ?? 0), 0);
  if (width === 0) return undefined;
  const parts: Uint8Array[] = [];
  let used = 0;
  for (let at = 0; at < width; at += 1) {
    const column = all.map((measured) => measured?.[at] ?? null);
    const values = column.filter((value) => value !== null);
    if (values.length === 0) continue;
    used += 1;
    const there = packNumbers(column.map((value) => (value === null ? 0 : 1)));
    parts.push(sizeBytes(at + 1), ...there, ...packNumbers(values));
  }
  return [sizeBytes(used), ...parts];
}

/** The values of `count` checks that `packValues` stored. Throws a PackedBytesError. */
export function unpackValues(reader: ByteReader, count: number): Measured[] {
  const all = Array.from({ length: count }, (): (number | null)[] => []);
  const used = reader.size(maxSeriesNo);
  for (let series = 0, before = 0; series < used; series += 1) {
    const seriesNo = reader.size(maxSeriesNo);
    if (seriesNo <= before) throw new PackedBytesError('the series of values are not in order');
    before = seriesNo;
    const there = unpackNumbers(reader, count);
    const values = unpackNumbers(
      reader,
      there.reduce((sum, one) => sum + (one === 1 ? 1 : 0), 0),
    );
    let next = 0;
    for (const [i, measured] of all.entries()) {
      if (there[i] !== 1) continue;
      while (measured.length < seriesNo - 1) measured.push(null);
      measured.push(values[next] ?? null);
      next += 1;
    }
  }
  return all.map((measured) => (measured.length === 0 ? null : measured));
}
