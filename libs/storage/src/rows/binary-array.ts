/** Identifies a version of a row: `xmin` and `ctid` together. */
export interface RowVersion {
  /** The transaction that wrote it. */
  readonly xmin: number;
  /** The page of the table, and the number of the item in the page. */
  readonly page: number;
  readonly item: number;
}

/** An `int[]` parameter. Numbers that do not fit throw. */
export function intArray(values: readonly number[]): Buffer {
  return encode(23, 4, values, (bytes, value, at) => bytes.writeInt32BE(value, at));
}

/** A `bigint[]` parameter of safe integers. */
export function bigintArray(values: readonly number[]): Buffer {
  return encode(20, 8, values, (bytes, value, at) => {
    const high = Math.floor(value / two32);
    return bytes.writeUInt32BE(value - high * two32, bytes.writeInt32BE(high, at));
  });
}

/** An `xid[]` parameter: the transactions of these versions. */
export function xidArray(versions: readonly RowVersion[]): Buffer {
  return encode(28, 4, versions, (bytes, { xmin }, at) => bytes.writeUInt32BE(xmin, at));
}

/** A `tid[]` parameter: the positions of these versions in the table. */
export function tidArray(versions: readonly RowVersion[]): Buffer {
  return encode(27, 6, versions, (bytes, { page, item }, at) =>
    bytes.writeUInt16BE(item, bytes.writeUInt32BE(page, at)),
  );
}

const two32 = 2 ** 32;

/**
 * An array without nulls in PostgreSQL's binary format (`array_recv`): dimensions, flag of nulls, type (an OID of
 * `pg_type.dat`, which never changes), length and first index, then each element after its width. node-postgres sends a
 * Buffer as a binary parameter. An array as text costs five times as much, because both sides convert each element to
 * and from a quoted text.
 */
function encode<T>(
  type: number,
  width: number,
  values: readonly T[],
  write: (bytes: Buffer, value: T, at: number) => number,
): Buffer {
  const bytes = Buffer.allocUnsafe(20 + values.length * (4 + width));
  let at = bytes.writeInt32BE(values.length === 0 ? 0 : 1, 0);
  at = bytes.writeInt32BE(0, at);
  at = bytes.writeInt32BE(type, at);
  if (values.length === 0) return bytes.subarray(0, at);
  at = bytes.writeInt32BE(values.length, at);
  at = bytes.writeInt32BE(1, at);
  for (const value of values) at = write(bytes, value, bytes.writeInt32BE(width, at));
  return bytes;
}
