import type { Kysely, RawBuilder } from 'kysely';
import type { Tables } from '../schema/tables.ts';
import { CopyData } from './copy-in.ts';

/** A copied column with its type in the table. Its texts must be valid for the column (`toText`, `readJsonObject`). */
export type CopyColumn<R> =
  | {
      readonly name: string;
      readonly type: 'smallint' | 'int' | 'bigint' | 'real' | 'double precision';
      readonly value: (row: R) => number | null;
    }
  | { readonly name: string; readonly type: 'text' | 'jsonb'; readonly value: (row: R) => string | null }
  | { readonly name: string; readonly type: 'boolean'; readonly value: (row: R) => boolean | null };

/**
 * Runs `copy TABLE (COLUMNS) from stdin (format binary)` with these rows. The statement names its columns in the order
 * of `columns`. The table must not contain any of the rows: COPY has no ON CONFLICT. It costs about half as much as an
 * INSERT from arrays, because numbers are not written and parsed as text.
 */
export async function copyRows<R>(
  trx: Kysely<Tables>,
  statement: RawBuilder<unknown>,
  columns: readonly CopyColumn<R>[],
  rows: readonly R[],
): Promise<void> {
  const compiled = statement.compile(trx);
  await trx.executeQuery({ ...compiled, parameters: [new CopyData(encodeRows(columns, rows))] });
}

/** `PGCOPY\n\377\r\n\0`, no flags, no extension (PostgreSQL, COPY, Binary Format). */
const header = Buffer.from([...Buffer.from('PGCOPY\n', 'latin1'), 0xff, 13, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
/** The length and value of a field that is no text, bytes. */
const maxFieldBytes = 12;
const two32 = 2 ** 32;

/** The rows in PostgreSQL's binary format of COPY. Pure. */
function encodeRows<R>(columns: readonly CopyColumn<R>[], rows: readonly R[]): Buffer {
  let size = header.length + 2 + rows.length * (2 + columns.length * maxFieldBytes);
  for (const column of columns) {
    if (column.type !== 'text' && column.type !== 'jsonb') continue;
    // A UTF-16 unit has at most three bytes.
    for (const row of rows) size += 3 * (column.value(row)?.length ?? 0);
  }
  const bytes = Buffer.allocUnsafe(size);
  let at = header.copy(bytes, 0);
  for (const row of rows) {
    at = bytes.writeInt16BE(columns.length, at);
    for (const column of columns) at = encodeField(bytes, at, column, row);
  }
  return bytes.subarray(0, bytes.writeInt16BE(-1, at));
}

function encodeField<R>(bytes: Buffer, at: number, column: CopyColumn<R>, row: R): number {
  const value = column.value(row);
  if (value === null) return bytes.writeInt32BE(-1, at);
  if (typeof value === 'string') return encodeText(bytes, at, value, column.type === 'jsonb');
  if (typeof value === 'boolean') return bytes.writeInt8(value ? 1 : 0, bytes.writeInt32BE(1, at));
  switch (column.type) {
    case 'smallint':
      return bytes.writeInt16BE(value, bytes.writeInt32BE(2, at));
    case 'int':
      return bytes.writeInt32BE(value, bytes.writeInt32BE(4, at));
    case 'bigint': {
      const high = Math.floor(value / two32);
      const next = bytes.writeInt32BE(high, bytes.writeInt32BE(8, at));
      return bytes.writeUInt32BE(value - high * two32, next);
    }
    case 'real':
      // Stores -0 as 0, as a text would.
      return bytes.writeFloatBE(value + 0, bytes.writeInt32BE(4, at));
    default:
      return bytes.writeDoubleBE(value + 0, bytes.writeInt32BE(8, at));
  }
}

/** A jsonb has its version, 1, before the text. */
function encodeText(bytes: Buffer, at: number, text: string, isJson: boolean): number {
  const from = isJson ? bytes.writeInt8(1, at + 4) : at + 4;
  const end = from + bytes.write(text, from);
  bytes.writeInt32BE(end - at - 4, at);
  return end;
}
