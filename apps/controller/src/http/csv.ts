import { stringify } from 'csv-stringify/sync';

/** What a cell may hold. */
type Cell = string | number | boolean | null;

/**
 * Writes RFC 4180: a header row, the row's own id first, nested objects as `Uptime.UpSeconds`, lists joined by `;`. A text that a spreadsheet would
 * run as a formula gets a `'` before it. `columns` stand in the header also when there is no row.
 */
export function toCsv(body: unknown, id: string | undefined, columns: readonly string[]): string {
  const rows = (Array.isArray(body) ? body : [body]).map((row) => flatten(row));
  const names = new Set(rows.length === 0 ? columns : rows.flatMap((row) => [...row.keys()]));
  const order = [...names].sort((a, b) => Number(b === id) - Number(a === id));
  return stringify(
    [order.map(defuse), ...rows.map((row) => order.map((name) => text(row.get(name) ?? null)))],
    // The library quotes what holds its record delimiter; a CR or LF alone is a new row for spreadsheets all the same.
    { record_delimiter: '\r\n', quoted_match: /[\r\n]/ },
  );
}

function flatten(row: unknown): Map<string, Cell> {
  const cells = new Map<string, Cell>();
  const walk = (value: unknown, name: string): void => {
    if (Array.isArray(value)) cells.set(name, value.map(inList).join(';'));
    else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) walk(inner, name === '' ? key : `${name}.${key}`);
    else cells.set(name === '' ? 'Value' : name, scalar(value));
  };
  walk(row, '');
  return cells;
}

function scalar(value: unknown): Cell {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return null;
}

function inList(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

function text(cell: Cell): string {
  if (cell === null) return '';
  return typeof cell === 'string' ? defuse(cell) : String(cell);
}

/** Spreadsheets run what begins with one of these, also after blanks; the wide forms are folded to them by some. */
const formula = /^[\s\p{Cc}]*[=+\-@|%＝＋－＠]/u;

function defuse(cell: string): string {
  return formula.test(cell) || /^[\t\r\n]/.test(cell) ? `'${cell}` : cell;
}
