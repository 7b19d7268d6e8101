import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';

/** The value of a cell. */
type Cell = string | number | boolean | null;

/**
 * Writes RFC 4180: a header row, the row's own id first, nested objects as `Uptime.UpSeconds`, lists joined by `;`. A
 * text that a spreadsheet would run as a formula gets a `'` before it. The columns are those given, whatever the rows
 * hold.
 */
export function toCsv(body: unknown, id: string | undefined, columns: readonly string[]): string {
  const rows: readonly unknown[] = Array.isArray(body) ? body : [body];
  const order = columns.toSorted((a, b) => Number(b === id) - Number(a === id));
  const paths = order.map((name) => name.split('.'));
  return stringify(
    [order.map(defuse), ...rows.map((row) => paths.map((path) => cellText(cellAt(row, path))))],
    // The library quotes what holds its record delimiter; a CR or LF alone is a new row for spreadsheets all the same.
    { record_delimiter: '\r\n', quoted_match: /[\r\n]/ },
  );
}

/**
 * The columns of a list or of one resource by its schema. Of a resource that has several forms, those of all of them.
 */
export function csvColumns(schema: z.ZodType): readonly string[] {
  return [...new Set(columnsOf(schema instanceof z.ZodArray ? schema.element : schema))].map(
    (name) => name || 'Value',
  );
}

/** The names below a value of this schema; `''` for the value itself. */
function columnsOf(schema: unknown): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return columnsOf(schema.unwrap());
  if (schema instanceof z.ZodUnion) {
    const all = schema.options.flatMap(columnsOf);
    return all.some((name) => name !== '') ? all.filter((name) => name !== '') : [''];
  }
  if (!(schema instanceof z.ZodObject)) return [''];
  return Object.entries(schema.shape).flatMap(([name, field]) =>
    columnsOf(field).map((inner) => (inner === '' ? name : `${name}.${inner}`)),
  );
}

function cellAt(row: unknown, path: readonly string[]): Cell {
  let value = row;
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return name === 'Value' ? scalar(value) : null;
    value = Object.entries(value).find(([own]) => own === name)?.[1];
  }
  if (Array.isArray(value)) return value.map(inList).join(';');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : scalar(value);
}

function scalar(value: unknown): Cell {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return null;
}

function inList(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

function cellText(cell: Cell): string {
  if (cell === null) return '';
  return typeof cell === 'string' ? defuse(cell) : String(cell);
}

/** Spreadsheets run what begins with one of these, also after blanks; the wide forms are folded to them by some. */
const formula = /^[\s\p{Cc}]*[=+\-@|%＝＋－＠]/u;

function defuse(cell: string): string {
  return formula.test(cell) || /^[\t\r\n]/.test(cell) ? `'${cell}` : cell;
}
