import { Unsent } from './device-draft.ts';
import { deviceFormTexts as say } from './device-form-texts.ts';

/** A request of a list: its parts by name; absent: not set. */
export type RequestRow = Readonly<Record<string, unknown>>;

const isRow = (value: unknown): value is RequestRow =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The requests in the value of an Option. */
export function requestRows(value: unknown): readonly RequestRow[] {
  return Array.isArray(value) ? value.filter(isRow) : [];
}

/** The requests with another value of a part; undefined: not set. */
export function changePart(
  rows: readonly RequestRow[],
  at: number,
  part: string,
  value: unknown,
): readonly RequestRow[] {
  return rows.map((row, index) => {
    if (index !== at) return row;
    const { [part]: _, ...others } = row;
    if (value === undefined) return others;
    return part in row ? { ...row, [part]: value } : { ...others, [part]: value };
  });
}

/** Whether a part of a request cannot be sent. */
export function hasFault(row: RequestRow): boolean {
  return Object.values(row).some((part) => part instanceof Unsent);
}

/** The requests with one of them at another position. */
export function moveRow(rows: readonly RequestRow[], from: number, to: number): readonly RequestRow[] {
  const row = rows[from];
  if (row === undefined || to < 0 || to >= rows.length) return rows;
  return rows.toSpliced(from, 1).toSpliced(to, 0, row);
}

/** A new request, with a name that no other one has. */
export function newRequest(rows: readonly RequestRow[]): RequestRow {
  const names = new Set(rows.map(({ Name }) => Name));
  let number = rows.length + 1;
  while (names.has(say.step(number))) number += 1;
  return { Name: say.step(number) };
}

const wideKinds = new Set(['area', 'lines', 'pairs', 'steps', 'requests', 'json']);

/** Whether the control of this kind has the whole width. */
export function isWideKind(kind: string): boolean {
  return wideKinds.has(kind);
}
