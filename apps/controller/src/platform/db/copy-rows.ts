import type { Kysely, RawBuilder } from 'kysely';
import pg from 'pg';
import type { Tables } from './schema.ts';

/**
 * A column of a row that is copied, with the type that it has in the table. Texts are fit for their column (`toText`,
 * `readJsonObject`).
 */
export type CopyColumn<R> =
  | {
      readonly name: string;
      readonly type: 'smallint' | 'int' | 'bigint' | 'real' | 'double precision';
      readonly value: (row: R) => number | null;
    }
  | { readonly name: string; readonly type: 'text' | 'jsonb'; readonly value: (row: R) => string | null }
  | { readonly name: string; readonly type: 'boolean'; readonly value: (row: R) => boolean | null };

/**
 * Runs `copy TABLE (COLUMNS) from stdin (format binary)` with these rows. The names in the statement stand in the order
 * of `columns`. No row may be in the table already: COPY has no ON CONFLICT. It costs about half of an INSERT from
 * arrays, because nobody writes or parses texts of numbers.
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

/** The messages CopyData and CopyDone of a COPY statement, in place of its parameters. */
export class CopyData {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}

/** Runs a COPY statement on one connection. */
export function copyIn(
  client: Pick<pg.ClientBase, 'query'>,
  text: string,
  { bytes }: CopyData,
): Promise<{ readonly command: string; readonly rowCount: number; readonly rows: [] }> {
  return new Promise((resolve, reject) => {
    client.query(
      new CopyQuery(text, bytes, (error) => {
        if (error) reject(error);
        else resolve({ command: 'COPY', rowCount: 0, rows: [] });
      }),
    );
  });
}

/**
 * A query of node-postgres that sends the data together with the statement (PostgreSQL, Frontend/Backend Protocol, COPY
 * Operations: a server that refused the statement drops the data). It does not wait for the CopyInResponse, because no
 * time limit of PostgreSQL ends a transaction that waits for the data of a COPY: a process that stood still at that
 * moment would hold the locks of its devices for ever.
 */
class CopyQuery extends pg.Query {
  constructor(text: string, bytes: Buffer, done: (error: Error | null | undefined) => void) {
    super(text, done);
    const sendStatement = this.submit.bind(this);
    this.submit = (connection) => {
      const { stream } = connection;
      stream.cork();
      const fault = sendStatement(connection);
      stream.write(bytes);
      stream.uncork();
      return fault;
    };
  }

  handleCopyInResponse(): void {
    // The data is on its way.
  }
}

/** CopyDone: `c` and its length. */
const copyDone = Buffer.from([0x63, 0, 0, 0, 4]);
/** CopyData: `d`, its length, the data. */
const headLength = 5;
/** `PGCOPY\n\377\r\n\0`, no flags, no extension (PostgreSQL, COPY, Binary Format). */
const header = Buffer.from([...Buffer.from('PGCOPY\n', 'latin1'), 0xff, 13, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const widest = 12;
const two32 = 2 ** 32;

/** The messages with the rows in PostgreSQL's binary format. Pure. */
function encodeRows<R>(columns: readonly CopyColumn<R>[], rows: readonly R[]): Buffer {
  let size = headLength + header.length + 2 + copyDone.length + rows.length * (2 + columns.length * widest);
  for (const column of columns) {
    if (column.type !== 'text' && column.type !== 'jsonb') continue;
    // A UTF-16 unit has at most three bytes.
    for (const row of rows) size += 3 * (column.value(row)?.length ?? 0);
  }
  const bytes = Buffer.allocUnsafe(size);
  let at = bytes.write('d', 'latin1') + 4;
  at += header.copy(bytes, at);
  for (const row of rows) {
    at = bytes.writeInt16BE(columns.length, at);
    for (const column of columns) at = encodeField(bytes, at, column, row);
  }
  at = bytes.writeInt16BE(-1, at);
  bytes.writeInt32BE(at - 1, 1);
  return bytes.subarray(0, at + copyDone.copy(bytes, at));
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
      // A text of -0 is 0, and so it is here.
      return bytes.writeFloatBE(value + 0, bytes.writeInt32BE(4, at));
    default:
      return bytes.writeDoubleBE(value + 0, bytes.writeInt32BE(8, at));
  }
}

/** A jsonb has its version, 1, before its text. */
function encodeText(bytes: Buffer, at: number, text: string, isJson: boolean): number {
  const from = isJson ? bytes.writeInt8(1, at + 4) : at + 4;
  const end = from + bytes.write(text, from);
  bytes.writeInt32BE(end - at - 4, at);
  return end;
}
