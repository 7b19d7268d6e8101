/** A spreadsheet would run such a text as a formula. The controller's CSV has the same rule. */
const formula = /^[\s\p{Cc}]*[=+\-@|%＝＋－＠]/u;

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n;\t|]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A table as CSV (RFC 4180), the heads first. Pure. */
export function csvTable(rows: readonly (readonly unknown[])[]): string {
  return rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
}

/** Rows as CSV with a header; lists and objects are JSON. Pure. */
export function csvOf<Column extends string>(
  columns: readonly Column[],
  rows: readonly Readonly<Partial<Record<Column, unknown>>>[],
): string {
  return csvTable([columns, ...rows.map((row) => columns.map((column) => row[column]))]);
}
