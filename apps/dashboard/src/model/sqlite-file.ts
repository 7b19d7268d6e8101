import { columnsOf, readRecord, readVarint, type SqlColumn, type SqlValue } from './sqlite-record.ts';

/** Reads a part of the file. */
export type ReadPart = (offset: number, length: number) => Promise<Uint8Array>;

/** A row by the names of its columns. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** The tables of a database file, read page by page: the size of the others does not matter. */
export interface SqliteFile {
  readonly tables: readonly string[];
  /** The rows of a table in the order of their numbers; none if it does not exist. Throws a RangeError. */
  readonly rows: (table: string) => Promise<readonly SqlRow[]>;
}

const headerLength = 100;
const magic = 'SQLite format 3\0';
const maxRows = 20_000;
const maxDepth = 20;
/** Pages of one table, its overflow pages included. */
const maxPages = 50_000;
const maxRecord = 1_000_000;
const encodings: Readonly<Record<number, string>> = { 1: 'utf-8', 2: 'utf-16le', 3: 'utf-16be' };
const [interiorPage, leafPage] = [5, 13];
const damaged = 'the database is cut off or damaged';

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

interface Cell {
  readonly row: number;
  readonly record: Uint8Array;
}

/** Opens a database by its header (sqlite.org/fileformat2). Throws a RangeError if it is none. */
export async function openSqlite(read: ReadPart): Promise<SqliteFile> {
  const header = await read(0, headerLength);
  if (header.length < headerLength || new TextDecoder('latin1').decode(header.subarray(0, 16)) !== magic)
    throw new RangeError('it is no SQLite database');
  const view = viewOf(header);
  const stated = view.getUint16(16);
  const pageSize = stated === 1 ? 65_536 : stated;
  const usable = pageSize - (header[20] ?? 0);
  const encoding = encodings[view.getUint32(56)] ?? 'utf-8';
  if (pageSize < 512 || usable < 480) throw new RangeError(damaged);

  const readTable = async (root: number): Promise<readonly Cell[]> => {
    let pages = 0;
    const page = async (number: number): Promise<Uint8Array> => {
      pages += 1;
      if (pages > maxPages) throw new RangeError('a table has too many pages');
      const bytes = number < 1 ? new Uint8Array() : await read((number - 1) * pageSize, pageSize);
      if (bytes.length < pageSize) throw new RangeError(damaged);
      return bytes;
    };
    /** A record begins in its cell, and continues on overflow pages (section 1.6). */
    const cellAt = async (bytes: Uint8Array, at: number): Promise<Cell> => {
      const [length, afterLength] = readVarint(bytes, at);
      const [row, start] = readVarint(bytes, afterLength);
      if (length > maxRecord) throw new RangeError('a row is too long');
      const most = usable - 35;
      const least = Math.floor(((usable - 12) * 32) / 255) - 23;
      const some = least + ((length - least) % (usable - 4));
      const local = length <= most ? length : some <= most ? some : least;
      const record = new Uint8Array(length);
      record.set(bytes.subarray(start, start + local));
      let next = local < length ? viewOf(bytes).getUint32(start + local) : 0;
      for (let filled = local; filled < length; ) {
        const overflow = await page(next);
        const part = overflow.subarray(4, 4 + Math.min(usable - 4, length - filled));
        record.set(part, filled);
        filled += part.length;
        next = viewOf(overflow).getUint32(0);
      }
      return { row, record };
    };
    const cells: Cell[] = [];
    const walk = async (number: number, depth: number): Promise<void> => {
      if (depth > maxDepth) throw new RangeError(damaged);
      const bytes = await page(number);
      const content = viewOf(bytes);
      const from = number === 1 ? headerLength : 0;
      const kind = bytes[from];
      const count = content.getUint16(from + 3);
      const pointers = from + (kind === interiorPage ? 12 : 8);
      if (kind !== interiorPage && kind !== leafPage) throw new RangeError(damaged);
      for (let index = 0; index < count; index += 1) {
        const at = content.getUint16(pointers + 2 * index);
        if (kind === interiorPage) await walk(content.getUint32(at), depth + 1);
        else cells.push(await cellAt(bytes, at));
        if (cells.length > maxRows) throw new RangeError(`a table has more than ${maxRows} rows`);
      }
      if (kind === interiorPage) await walk(content.getUint32(from + 8), depth + 1);
    };
    await walk(root, 0);
    return cells;
  };

  const schema = new Map<string, { readonly root: number; readonly columns: readonly SqlColumn[] }>();
  for (const { record } of await readTable(1)) {
    const [type, name, , root, statement] = readRecord(record, encoding);
    if (
      type === 'table' &&
      typeof name === 'string' &&
      typeof root === 'number' &&
      typeof statement === 'string'
    )
      schema.set(name, { root, columns: columnsOf(statement) });
  }
  return {
    tables: [...schema.keys()],
    async rows(table) {
      const found = schema.get(table);
      if (found === undefined) return [];
      const cells = await readTable(found.root);
      return cells.map(({ row, record }) => {
        const values = readRecord(record, encoding);
        return Object.fromEntries(
          found.columns.map(({ name, standard, isRowNumber }, at) => {
            const value = at < values.length ? (values[at] ?? null) : standard;
            return [name, isRowNumber && value === null ? row : value];
          }),
        );
      });
    },
  };
}
