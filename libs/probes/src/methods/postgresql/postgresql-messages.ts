// The parts of PostgreSQL's protocol 3.0 that a check uses (PostgreSQL documentation, "Frontend/Backend Protocol").

/** An ErrorResponse. */
export interface PostgresError {
  /** SQLSTATE, for example 28P01. */
  readonly code: string;
  readonly message: string;
}

/** The end of a login or query. */
export type PostgresAnswer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: PostgresError };

/** A column of a result. */
export interface ResultColumn {
  readonly name: string;
  /** The OID of its type. */
  readonly type: number;
}

const protocolVersion = 196_608;
const sslRequestCode = 80_877_103;
/** A result may have this many columns (the maximum of PostgreSQL). */
const maxColumns = 1664;

/** The request for TLS, sent in clear before everything else. */
export function sslRequest(): Buffer {
  const request = Buffer.alloc(8);
  request.writeInt32BE(8, 0);
  request.writeInt32BE(sslRequestCode, 4);
  return request;
}

/** The first message of a session. */
export function startupMessage(user: string, database: string | undefined): Buffer {
  const parameters = ['user', user, ...(database === undefined ? [] : ['database', database])];
  const body = Buffer.from(`${[...parameters, 'application_name', 'vantage'].join('\0')}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + body.length, 0);
  head.writeInt32BE(protocolVersion, 4);
  return Buffer.concat([head, body]);
}

/** A message with its type and length. */
export function messageOf(type: string, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 0, 'latin1');
  head.writeInt32BE(4 + payload.length, 1);
  return Buffer.concat([head, payload]);
}

/** A message of one text. */
export function textMessage(type: string, text: string): Buffer {
  return messageOf(type, Buffer.from(`${text}\0`));
}

/** The first answer to a request for SASL. */
export function saslInitialMessage(mechanism: string, data: string): Buffer {
  const size = Buffer.alloc(4);
  size.writeInt32BE(Buffer.byteLength(data), 0);
  return messageOf('p', Buffer.concat([Buffer.from(`${mechanism}\0`), size, Buffer.from(data)]));
}

/** Texts that end with a NUL, up to an empty one or the end. */
export function readTexts(payload: Buffer): readonly string[] {
  const texts = payload.toString('utf8').split('\0');
  const end = texts.indexOf('');
  return end < 0 ? texts : texts.slice(0, end);
}

/** Reads an ErrorResponse: fields of a letter and a text. */
export function readError(payload: Buffer): PostgresError {
  const fields = new Map(readTexts(payload).map((text) => [text.charAt(0), text.slice(1)]));
  return { code: fields.get('C') ?? '', message: fields.get('M') ?? '' };
}

/** Reads a RowDescription; undefined if it is malformed. */
export function readColumns(payload: Buffer): readonly ResultColumn[] | undefined {
  if (payload.length < 2) return undefined;
  const count = payload.readInt16BE(0);
  if (count < 0 || count > maxColumns) return undefined;
  const columns: ResultColumn[] = [];
  let at = 2;
  for (let i = 0; i < count; i += 1) {
    const end = payload.indexOf(0, at);
    // The table and the number of the column (6 bytes), its type, size, modifier and format.
    if (end < 0 || payload.length < end + 19) return undefined;
    columns.push({ name: payload.toString('utf8', at, end), type: payload.readUInt32BE(end + 7) });
    at = end + 19;
  }
  return columns;
}

/** Reads a DataRow as far as the payload goes. */
export function readRow(payload: Buffer): readonly (string | null)[] {
  const values: (string | null)[] = [];
  let at = 2;
  while (at + 4 <= payload.length) {
    const length = payload.readInt32BE(at);
    at += 4;
    if (length < 0) values.push(null);
    else values.push(payload.toString('utf8', at, at + length));
    at += Math.max(0, length);
  }
  return values;
}
