import { createHash } from 'node:crypto';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { type ByteReader, createByteReader, PackedBytesError } from './byte-reader.ts';
import { packNumbers, unpackNumbers } from './pack-numbers.ts';
import { packTexts, unpackTexts } from './pack-texts.ts';
import { packValues, unpackValues } from './pack-values.ts';
import {
  factColumns,
  keyColumns,
  type PackedCheck,
  type PackedColumn,
  type PackedName,
} from './packed-columns.ts';

const version = 1;
/** The version of facts with the values of checks after their columns. */
const versionWithValues = 2;
/** A day with more checks of a device is not packed. */
export const maxPackedChecks = 20_000;
/** Of the columns, before compression. */
const maxBytes = 16 * 1024 * 1024;
/** Higher qualities take ten times as long and save five percent. */
const quality = 5;

/** The key of a check within the day of a device. */
export type PackedCheckKey = Pick<PackedCheck, 'start_us' | 'agent_no'>;

/** The checks of a device in a day, as bytes. */
export interface PackedDay {
  /** The number of checks. */
  readonly checks: number;
  /** The keys of the checks, which can be unpacked without the facts; the column `marks`. */
  readonly keys: Uint8Array;
  readonly facts: Uint8Array;
}

type ColumnName = PackedName;
type ColumnValue = string | number | boolean | null;
/** The values of each column, check by check. */
type ColumnValues = ReadonlyMap<ColumnName, readonly ColumnValue[]>;

/**
 * Packs the checks of one device and day (`dayUs`: its start) column by column; undefined where they are too many or
 * too large. Every value is restored exactly. Pure.
 */
export function packDay(dayUs: number, checks: readonly PackedCheck[]): PackedDay | undefined {
  if (checks.length > maxPackedChecks) return undefined;
  const values = packValues(checks.map(({ measured }) => measured));
  const packed = (list: readonly PackedColumn[], more: readonly Uint8Array[], of: number) => {
    const columns = list.map((column) => packColumn(column, dayUs, checks));
    if (columns.includes(undefined)) return undefined;
    return compress([...columns.flatMap((parts) => parts ?? []), ...more], of);
  };
  const keys = packed(keyColumns, [], version);
  const facts = packed(factColumns, values ?? [], values === undefined ? version : versionWithValues);
  return keys === undefined || facts === undefined ? undefined : { checks: checks.length, keys, facts };
}

/** The checks of a packed day. Throws a PackedBytesError for bytes that `packDay` did not create. Pure. */
export function unpackDay(deviceNo: number, dayUs: number, day: PackedDay): PackedCheck[] {
  const about = { dayUs, checks: day.checks };
  const { columns: keys } = unpackColumns(keyColumns, new Map(), { ...about, bytes: day.keys });
  const { columns, values } = unpackColumns(factColumns, keys, { ...about, bytes: day.facts });
  const at = (name: ColumnName, i: number) => columns.get(name)?.[i] ?? null;
  const number = (name: ColumnName, i: number) => Number(at(name, i));
  const text = (name: ColumnName, i: number) => {
    const value = at(name, i);
    return value === null ? null : String(value);
  };
  const flag = (name: ColumnName, i: number) => {
    const value = at(name, i);
    return value === null ? null : value === true;
  };
  return Array.from({ length: day.checks }, (_, i) => ({
    device_no: deviceNo,
    start_us: number('start_us', i),
    agent_no: number('agent_no', i),
    location_no: number('location_no', i),
    end_us: number('end_us', i),
    arrived_us: number('arrived_us', i),
    revision: number('revision', i),
    attempt: number('attempt', i),
    code: number('code', i),
    perf: number('perf', i),
    block_ms: number('block_ms', i),
    dns_ms: number('dns_ms', i),
    connect_ms: number('connect_ms', i),
    ssl_ms: number('ssl_ms', i),
    ttfb_ms: number('ttfb_ms', i),
    ttlb_ms: number('ttlb_ms', i),
    data_size: number('data_size', i),
    behind_anchor: flag('behind_anchor', i),
    check_result: text('check_result', i) ?? '',
    retry_id: text('retry_id', i),
    run_request_id: text('run_request_id', i),
    extended: text('extended', i),
    measured: values?.[i] ?? null,
  }));
}

const digestBytes = 8;

/** A digest of a packed day, by which damaged bytes are known although they can be unpacked. Pure. */
export function packedDigest({ checks, keys, facts }: PackedDay): Uint8Array {
  const hash = createHash('sha256').update(`${checks} ${keys.length} `).update(keys).update(facts);
  return hash.digest().subarray(0, digestBytes);
}

/** The keys of the checks of a packed day. Throws like `unpackDay`. */
export function unpackKeys(dayUs: number, { checks, keys }: Omit<PackedDay, 'facts'>): PackedCheckKey[] {
  const { columns } = unpackColumns(keyColumns, new Map(), { dayUs, checks, bytes: keys });
  const number = (name: ColumnName, i: number) => Number(columns.get(name)?.[i]);
  return Array.from({ length: checks }, (_, i) => ({
    start_us: number('start_us', i),
    agent_no: number('agent_no', i),
  }));
}

function packColumn(
  { name, kind, likely }: PackedColumn,
  dayUs: number,
  checks: readonly PackedCheck[],
): readonly Uint8Array[] | undefined {
  switch (kind) {
    case 'texts':
      return packTexts(checks.map((check) => textOf(check[name])));
    case 'flags':
      return packNumbers(checks.map((check) => flagValues.indexOf(check[name])));
    case 'numbers': {
      const values = checks.map((check) => Number(check[name]));
      const guesses = checks.map((check) => likely?.((other) => Number(check[other]), dayUs) ?? 0);
      const differences = values.map((value, i) => value - (guesses[i] ?? 0));
      const isExact = differences.every((value, i) => Object.is(value + (guesses[i] ?? 0), values[i]));
      return [Uint8Array.of(isExact ? 1 : 0), ...packNumbers(isExact ? differences : values)];
    }
  }
}

/** The values of these columns, and of the columns that are unpacked already; `values`: those that checks measured. */
function unpackColumns(
  list: readonly PackedColumn[],
  known: ColumnValues,
  { dayUs, checks, bytes }: { readonly dayUs: number; readonly checks: number; readonly bytes: Uint8Array },
): { readonly columns: ColumnValues; readonly values: readonly PackedCheck['measured'][] | undefined } {
  if (checks > maxPackedChecks)
    throw new PackedBytesError(`${checks} checks exceed the limit of ${maxPackedChecks}`);
  const reader = createByteReader(decompress(bytes));
  const columns = new Map(known);
  for (const column of list)
    columns.set(column.name, unpackColumn(column, reader, { columns, dayUs, checks }));
  const values = bytes[0] === versionWithValues ? unpackValues(reader, checks) : undefined;
  reader.end();
  return { columns, values };
}

function unpackColumn(
  { kind, likely }: PackedColumn,
  reader: ByteReader,
  {
    columns,
    dayUs,
    checks,
  }: { readonly columns: ColumnValues; readonly dayUs: number; readonly checks: number },
): readonly ColumnValue[] {
  switch (kind) {
    case 'texts':
      return unpackTexts(reader, checks);
    case 'flags':
      return unpackNumbers(reader, checks).map((index) => flagValues[index] ?? null);
    case 'numbers': {
      const isExact = reader.byte() === 1;
      const values = unpackNumbers(reader, checks);
      if (!isExact || likely === undefined) return values;
      return values.map((value, i) => value + likely((other) => Number(columns.get(other)?.[i]), dayUs));
    }
  }
}

/** The values of a flag; their indexes are stored. */
const flagValues: readonly ColumnValue[] = [null, false, true];

function textOf(value: ColumnValue): string | null {
  return value === null ? null : String(value);
}

function compress(parts: readonly Uint8Array[], of: number): Uint8Array | undefined {
  const bytes = Buffer.concat(parts);
  if (bytes.length > maxBytes) return undefined;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS - 4,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return Buffer.concat([Uint8Array.of(of), brotliCompressSync(bytes, { params })]);
}

function decompress(bytes: Uint8Array): Uint8Array {
  if (bytes[0] !== version && bytes[0] !== versionWithValues)
    throw new PackedBytesError(`version ${bytes[0]} of packed checks is unknown`);
  try {
    return brotliDecompressSync(bytes.subarray(1), { maxOutputLength: maxBytes });
  } catch (cause) {
    throw new PackedBytesError('the bytes cannot be decompressed', { cause });
  }
}
