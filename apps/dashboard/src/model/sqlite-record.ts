/** A value of a database. Blobs are left out. */
export type SqlValue = string | number | null;

/** A variable-length integer (sqlite.org/fileformat2, section 1.6), and the offset after it. */
export function readVarint(bytes: Uint8Array, at: number): readonly [value: number, end: number] {
  let value = 0;
  for (let index = 0; index < 8; index += 1) {
    const byte = byteAt(bytes, at + index);
    value = value * 128 + (byte & 127);
    if (byte < 128) return [value, at + index + 1];
  }
  return [value * 256 + byteAt(bytes, at + 8), at + 9];
}

function byteAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new RangeError('the database is cut off or damaged');
  return byte;
}

/** A signed integer of up to eight bytes. Beyond 2^53 it is rounded. */
function readInteger(bytes: Uint8Array, at: number, length: number): number {
  let value = (byteAt(bytes, at) << 24) >> 24;
  for (let index = 1; index < length; index += 1) value = value * 256 + byteAt(bytes, at + index);
  return value;
}

const integerLengths: Readonly<Record<number, number>> = { 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8 };
const maxColumns = 2_000;

/** The values of a record (section 2.1). Throws a RangeError where it is damaged. */
export function readRecord(bytes: Uint8Array, encoding: string): readonly SqlValue[] {
  const [headerEnd, first] = readVarint(bytes, 0);
  const types: number[] = [];
  for (let at = first; at < headerEnd; ) {
    const [type, end] = readVarint(bytes, at);
    types.push(type);
    at = end;
    if (types.length > maxColumns) throw new RangeError('a row has too many columns');
  }
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  let at = headerEnd;
  return types.map((type) => {
    const integer = integerLengths[type];
    if (integer !== undefined) {
      at += integer;
      return readInteger(bytes, at - integer, integer);
    }
    if (type === 7) {
      at += 8;
      return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getFloat64(at - 8);
    }
    if (type === 8 || type === 9) return type - 8;
    if (type < 12) return null;
    const length = Math.floor((type - 12) / 2);
    at += length;
    if (at > bytes.length) throw new RangeError('the database is cut off or damaged');
    return type % 2 === 1 ? decoder.decode(bytes.subarray(at - length, at)) : null;
  });
}

/** A column of a table. */
export interface SqlColumn {
  readonly name: string;
  /** The value of rows that were written before the column was added. */
  readonly standard: SqlValue;
  /** Its value is the number of the row. */
  readonly isRowNumber: boolean;
}

/** The parts of a text between the commas that are in no parentheses and no quotes. */
function splitByCommas(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const [token = ''] of text.matchAll(/'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|./gs)) {
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (token === ',' && depth === 0) {
      parts.push(part);
      part = '';
    } else part += token;
  }
  return [...parts, part];
}

function standardOf(definition: string): SqlValue {
  const [, word = ''] = /\bdefault\s+\(?\s*('(?:[^']|'')*'|"(?:[^"]|"")*"|[-+\w.]+)/i.exec(definition) ?? [];
  if (/^['"]/.test(word)) return word.slice(1, -1).replaceAll("''", "'");
  if (word === '' || /^null$/i.test(word)) return null;
  if (/^true$/i.test(word)) return 1;
  if (/^false$/i.test(word)) return 0;
  return Number.isNaN(Number(word)) ? word : Number(word);
}

/** The columns of a table by the statement that created it. Pure. */
export function columnsOf(statement: string): readonly SqlColumn[] {
  const from = statement.indexOf('(');
  const body = statement.slice(from + 1, statement.lastIndexOf(')'));
  return splitByCommas(body).flatMap((part): readonly SqlColumn[] => {
    const definition = part.trim();
    if (/^(constraint|primary\s+key|unique|check|foreign\s+key)\b/i.test(definition)) return [];
    const [, quoted, bare] = /^(?:["`[]([^"`\]]+)["`\]]|(\w+))/.exec(definition) ?? [];
    const name = quoted ?? bare;
    if (name === undefined) return [];
    const isRowNumber = /^\S+\s+integer\b.*\bprimary\s+key\b/is.test(definition);
    return [{ name, standard: standardOf(definition), isRowNumber }];
  });
}
