import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { type ByteReader, createByteReader, PackedBytesError } from './byte-reader.ts';
import { factColumns, keyColumns, type PackedCheck, type PackedColumn } from './columns.ts';
import { packNumbers, unpackNumbers } from './numbers.ts';
import { packTexts, unpackTexts } from './texts.ts';

const version = 1;
/** More checks of a device in a day stay rows. */
export const mostChecks = 20_000;
/** The most bytes that the columns have before they are compressed. */
const mostBytes = 16 * 1024 * 1024;
/** Higher qualities cost ten times the time and save five percent. */
const quality = 5;

/** The key of a check within the day of a device. */
export type CheckMark = Pick<PackedCheck, 'start_us' | 'agent_no'>;

/** The checks of a device in a day, as bytes. */
export interface PackedDay {
  /** How many. */
  readonly checks: number;
  /** The keys of the checks, which are unpacked without the facts where only they are needed. */
  readonly marks: Uint8Array;
  readonly facts: Uint8Array;
}

type Name = keyof PackedCheck;
type Value = string | number | boolean | null;
/** The values of each column, check by check. */
type Columns = ReadonlyMap<Name, readonly Value[]>;

/**
 * Packs the checks of one device and day (`dayUs`: its begin) column by column; undefined where they are too many or
 * too large. Every value comes back exactly as it was. Pure.
 */
export function packDay(dayUs: number, checks: readonly PackedCheck[]): PackedDay | undefined {
  if (checks.length > mostChecks) return undefined;
  const [marks, facts] = [keyColumns, factColumns].map((list) => {
    const columns = list.map((column) => packColumn(column, dayUs, checks));
    return columns.includes(undefined) ? undefined : compress(columns.flatMap((parts) => parts ?? []));
  });
  return marks === undefined || facts === undefined ? undefined : { checks: checks.length, marks, facts };
}

/** The checks of a packed day. Throws a PackedBytesError for bytes that `packDay` did not make. Pure. */
export function unpackDay(deviceNo: number, dayUs: number, day: PackedDay): PackedCheck[] {
  const marks = unpackColumns(keyColumns, new Map(), { dayUs, checks: day.checks, bytes: day.marks });
  const columns = unpackColumns(factColumns, marks, { dayUs, checks: day.checks, bytes: day.facts });
  const at = (name: Name, i: number) => columns.get(name)?.[i] ?? null;
  const number = (name: Name, i: number) => Number(at(name, i));
  const text = (name: Name, i: number) => {
    const value = at(name, i);
    return value === null ? null : String(value);
  };
  const flag = (name: Name, i: number) => {
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
  }));
}

/** Unpacks the keys of the checks of a packed day. Throws as `unpackDay`. */
export function unpackMarks(dayUs: number, { checks, marks }: Omit<PackedDay, 'facts'>): CheckMark[] {
  const columns = unpackColumns(keyColumns, new Map(), { dayUs, checks, bytes: marks });
  const number = (name: Name, i: number) => Number(columns.get(name)?.[i]);
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
      return packNumbers(checks.map((check) => flagNumbers.indexOf(check[name])));
    case 'numbers': {
      const values = checks.map((check) => Number(check[name]));
      const guesses = checks.map((check) => likely?.((other) => Number(check[other]), dayUs) ?? 0);
      const less = values.map((value, i) => value - (guesses[i] ?? 0));
      const isExact = less.every((value, i) => Object.is(value + (guesses[i] ?? 0), values[i]));
      return [Uint8Array.of(isExact ? 1 : 0), ...packNumbers(isExact ? less : values)];
    }
  }
}

/** The values of these columns and of those that are unpacked already. */
function unpackColumns(
  list: readonly PackedColumn[],
  known: Columns,
  { dayUs, checks, bytes }: { readonly dayUs: number; readonly checks: number; readonly bytes: Uint8Array },
): Columns {
  if (checks > mostChecks) throw new PackedBytesError(`${checks} checks are over the limit of ${mostChecks}`);
  const reader = createByteReader(decompress(bytes));
  const columns = new Map(known);
  for (const column of list)
    columns.set(column.name, unpackColumn(column, reader, { columns, dayUs, checks }));
  reader.end();
  return columns;
}

function unpackColumn(
  { kind, likely }: PackedColumn,
  reader: ByteReader,
  { columns, dayUs, checks }: { readonly columns: Columns; readonly dayUs: number; readonly checks: number },
): readonly Value[] {
  switch (kind) {
    case 'texts':
      return unpackTexts(reader, checks);
    case 'flags':
      return unpackNumbers(reader, checks).map((place) => flagNumbers[place] ?? null);
    case 'numbers': {
      const isExact = reader.byte() === 1;
      const values = unpackNumbers(reader, checks);
      if (!isExact || likely === undefined) return values;
      return values.map((value, i) => value + likely((other) => Number(columns.get(other)?.[i]), dayUs));
    }
  }
}

/** The values of a flag; their places are stored. */
const flagNumbers: readonly Value[] = [null, false, true];

function textOf(value: Value): string | null {
  return value === null ? null : String(value);
}

function compress(parts: readonly Uint8Array[]): Uint8Array | undefined {
  const bytes = Buffer.concat(parts);
  if (bytes.length > mostBytes) return undefined;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS - 4,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return Buffer.concat([Uint8Array.of(version), brotliCompressSync(bytes, { params })]);
}

function decompress(bytes: Uint8Array): Uint8Array {
  if (bytes[0] !== version) throw new PackedBytesError(`version ${bytes[0]} of packed checks is not known`);
  try {
    return brotliDecompressSync(bytes.subarray(1), { maxOutputLength: mostBytes });
  } catch (cause) {
    throw new PackedBytesError('the bytes cannot be decompressed', { cause });
  }
}
