import { type RawBuilder, sql } from 'kysely';

/** The columns of the phases, in the order of `phase_sums` and of the numbers in `phase_histogram`. */
export const phaseColumns = ['dns_ms', 'connect_ms', 'ssl_ms', 'ttfb_ms', 'ttlb_ms'] as const;

/** An entry of `phase_histogram` is the slot on the log scale, times this, plus the number of the phase. */
export const phaseRadix = 8;

/** Ascending entries of `phase_histogram`; `counts[i]` is the count of `entries[i]`. */
export interface PhaseCounts {
  readonly entries: Uint16Array;
  readonly counts: Uint32Array;
}

/** The number of entries that two bytes can name. */
const maxEntries = 2 ** 16;
const buffers = { entries: new Uint16Array(maxEntries), counts: new Uint32Array(maxEntries) };

/**
 * The sum of `phase_histogram`s. The arrays are valid until the next call: three months by hour have a third of a
 * million entries in two thousand histograms, and new arrays for each would keep the garbage collector busy.
 */
export function readPhaseCounts(parts: readonly Uint8Array[]): PhaseCounts {
  const [only = new Uint8Array()] = parts;
  return parts.length > 1 ? addUp(parts) : readPhaseHistogram(only);
}

function readPhaseHistogram(bytes: Uint8Array): PhaseCounts {
  const length = bytes.length >> 2;
  const { entries, counts } = buffers;
  for (let i = 0, at = 0; i < length; i += 1, at += 4) {
    entries[i] = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
    counts[i] = ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
  }
  return { entries: entries.subarray(0, length), counts: counts.subarray(0, length) };
}

function addUp(parts: readonly Uint8Array[]): PhaseCounts {
  const sums = new Map<number, number>();
  for (const part of parts) {
    const { entries, counts } = readPhaseHistogram(part);
    entries.forEach((entry, i) => void sums.set(entry, (sums.get(entry) ?? 0) + (counts[i] ?? 0)));
  }
  const entries = Uint16Array.from(sums.keys()).sort();
  return { entries, counts: Uint32Array.from(entries, (entry) => sums.get(entry) ?? 0) };
}

/** The largest number of a smallint. A Location has fewer checks of a device in a day. */
const maxCount = 32_767;

/** An aggregate: the bytes of `phase_histogram` from the columns `entry` and `n`. */
export const packedHistogram = sql`string_agg(int2send(entry::smallint) || int2send(least(n, ${sql.lit(maxCount)})::smallint),
  ''::bytea order by entry)`;

/** The rows `(entry, n)` of a `phase_histogram`, for FROM. */
export function unpackedHistogram(column: string): RawBuilder<unknown> {
  const at = (byte: number) => sql`get_byte(${sql.ref(column)}, k + ${sql.lit(byte)})`;
  return sql`(select ${at(0)} * 256 + ${at(1)} as entry, ${at(2)} * 256 + ${at(3)} as n
    from generate_series(0, length(${sql.ref(column)}) - 4, 4) as k)`;
}
