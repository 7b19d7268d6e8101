import { unreadable } from '../input/text-file.ts';
import { methodOfWord } from '../values/address-method.ts';
import { type ColumnMeaning, meaningOf } from './column-meanings.ts';
import type { TableRow } from './parse-table.ts';

export interface TableColumn {
  readonly header: string;
  readonly index: number;
  /** Undefined: the column is not read. `option`: a field of the Method's Options, named by `option`. */
  readonly meaning: ColumnMeaning | 'option' | undefined;
  readonly option?: string;
  /** Seconds of the unit that the header names: `Interval (min)`. */
  readonly unitSeconds?: number;
}

/** The columns of a table and its rows without headers. */
export interface TableColumns {
  readonly columns: readonly TableColumn[];
  readonly rows: readonly TableRow[];
  /** The table has no headers. The meanings come from the contents of its cells. */
  readonly guessed: boolean;
}

/** Finds the meaning of each column: by its header, or by its cells where the first row is already data. */
export function findColumns(rows: readonly TableRow[], file: string): TableColumns {
  const [first, ...rest] = rows;
  if (first === undefined) throw unreadable(`${file} has no rows; accepted is a table with a row of headers`);
  const byHeader = headerColumns(first.cells);
  if (byHeader.some(({ meaning }) => meaning === 'address'))
    return { columns: byHeader, rows: rest, guessed: false };
  const byContent = byHeader.every(({ meaning }) => meaning === undefined) ? guessColumns(rows) : undefined;
  if (byContent !== undefined) return { columns: byContent, rows, guessed: true };
  throw unreadable(
    `${file}:${first.line} has no column with the address to check: its headers are ${first.cells
      .slice(0, 20)
      .map((cell) => JSON.stringify(cell.trim()))
      .join(', ')}; accepted is one of URL, Address, Host, Hostname, Target, IP`,
  );
}

/** The first column of a meaning is read. A later one is not, and the report says so. */
function headerColumns(cells: readonly string[]): TableColumn[] {
  const taken = new Set<string>();
  const tableHeaders = new Set(cells.map((cell) => plain(cell)));
  return cells.map((cell, index) => {
    const header = cell.trim();
    const option = /^options[.\s]+([A-Za-z][A-Za-z0-9.-]*)$/i.exec(header)?.[1];
    if (option !== undefined) return { header, index, meaning: 'option', option };
    const unit = /[([]\s*(?:in\s+)?(s|secs?|seconds?|m|mins?|minutes?|h|hours?|ms)\s*[)\]]\s*$/i.exec(
      header,
    )?.[1];
    const meaning = meaningOf(plain(header.replace(/[([][^)\]]*[)\]]\s*$/, '')), tableHeaders);
    if (meaning === undefined || taken.has(meaning)) return { header, index, meaning: undefined };
    taken.add(meaning);
    return { header, index, meaning, ...(unit !== undefined && { unitSeconds: secondsOfUnit(unit) }) };
  });
}

function plain(header: string): string {
  return header
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]/g, '');
}

function secondsOfUnit(unit: string): number {
  const [letter = 's'] = unit.toLowerCase();
  if (unit.toLowerCase() === 'ms') return 0.001;
  return letter === 's' ? 1 : letter === 'm' ? 60 : 3600;
}

const looksLikeAddress =
  /^(?:[a-z][a-z0-9+.-]*:\/\/\S+|(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?|[0-9a-f]*:[0-9a-f:.]+|(?:[a-z0-9_-]+\.)+[a-z]{2,}(?::\d+)?(?:\/\S*)?)$/i;

/**
 * Guesses the columns of a table without headers. At least half of the cells of the address column look like
 * addresses. Returns undefined where no column does.
 */
function guessColumns(rows: readonly TableRow[]): TableColumn[] | undefined {
  const width = Math.max(...rows.map(({ cells }) => cells.length));
  const indexes = Array.from({ length: width }, (_, index) => index);
  const shareOf = (index: number, test: (cell: string) => boolean) =>
    rows.filter(({ cells }) => test(cells[index]?.trim() ?? '')).length / rows.length;
  const best = (test: (cell: string) => boolean, candidates: readonly number[]) =>
    candidates
      .map((index) => ({ index, share: shareOf(index, test) }))
      .reduce((a, b) => (b.share > a.share ? b : a), { index: -1, share: 0 });
  const address = best((cell) => looksLikeAddress.test(cell), indexes);
  if (address.share < 0.5) return undefined;
  const others = indexes.filter((index) => index !== address.index);
  const method = best((cell) => methodOfWord(cell) !== undefined, others);
  const methodIndex = method.share >= 0.8 ? method.index : -1;
  const name = best(
    (cell) => /\p{L}/u.test(cell) && !looksLikeAddress.test(cell),
    others.filter((index) => index !== methodIndex),
  );
  return indexes.map((index) => {
    const header = `column ${index + 1}`;
    if (index === address.index) return { header, index, meaning: 'address' };
    if (index === methodIndex) return { header, index, meaning: 'method' };
    return { header, index, meaning: index === name.index && name.share >= 0.5 ? 'name' : undefined };
  });
}
