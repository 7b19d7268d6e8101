import { mostThings, unreadable } from '../input.ts';

/** A row of a table with the line on which it begins. */
export interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

/** A table as text, split into rows; blank rows are left out. */
export interface Table {
  readonly separator: string;
  readonly rows: readonly Row[];
}

const separators = ['\t', ',', ';', '|'];
const mostCells = 200;

/** Splits a table (RFC 4180, any of four separators). The separator is the one that most rows have equally often. */
export function parseTable(text: string, file: string): Table {
  const clean = text.replace(/^\uFEFF/, '');
  const declared = /^sep=(.)\r?\n/i.exec(clean)?.[1];
  const separator = declared ?? guessSeparator(clean);
  const parsed = split(clean, separator, file);
  const rows = parsed
    .slice(declared === undefined ? 0 : 1)
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  if (rows.length > mostThings + 1) throw unreadable(`${file} has more than ${mostThings} rows; split it`);
  return { separator, rows };
}

function guessSeparator(text: string): string {
  const sample = text.slice(0, 64 * 1024);
  const counts = separators.map((separator) => {
    const lines = sample
      .split(/\r?\n/)
      .slice(0, 50)
      .filter((line) => line.trim() !== '');
    const perLine = lines.map((line) => line.replaceAll(/"(?:[^"]|"")*"/g, '').split(separator).length - 1);
    const first = perLine[0] ?? 0;
    const like = perLine.filter((count) => count === first).length;
    return { separator, score: first === 0 ? 0 : like / lines.length + first / 1000 };
  });
  const best = counts.reduce((a, b) => (b.score > a.score ? b : a));
  return best.score > 0 ? best.separator : ',';
}

/** A quote inside an unquoted cell is a character of the cell; one that never closes is a fault of the file. */
function split(text: string, separator: string, file: string): Row[] {
  const rows: Row[] = [];
  let cells: string[] = [];
  let line = 1;
  let begun = 1;
  let at = 0;
  const endRow = () => {
    if (cells.length > mostCells) throw unreadable(`${file}:${begun} has more than ${mostCells} columns`);
    rows.push({ line: begun, cells });
    cells = [];
    begun = line;
  };
  while (at < text.length) {
    const cell = text[at] === '"' ? quotedCell(text, at, separator) : plainCell(text, at, separator);
    if (cell === undefined)
      throw unreadable(
        `${file}:${line} has a quote (") that never closes; a quote inside a quoted cell is written twice`,
      );
    // A spreadsheet shows a text that begins like a formula behind an apostrophe.
    cells.push(cell.text.replace(/^'(?='*[=+@-])/, ''));
    line += countBreaks(text, at, cell.end);
    at = cell.end;
    if (text[at] === separator) {
      at += 1;
      if (at === text.length) cells.push('');
      continue;
    }
    if (at >= text.length) break;
    if (text[at] === '\r' && text[at + 1] === '\n') at += 1;
    if (text[at] === '\n' || text[at] === '\r') {
      at += 1;
      line += 1;
      endRow();
    }
  }
  if (cells.length > 0) endRow();
  return rows;
}

function quotedCell(
  text: string,
  from: number,
  separator: string,
): { text: string; end: number } | undefined {
  let at = from + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return undefined;
    if (text[quote + 1] !== '"') {
      // What follows the closing quote belongs to the cell, too: `"a" b`.
      const rest = plainCell(text, quote + 1, separator);
      return { text: text.slice(from + 1, quote).replaceAll('""', '"') + rest.text, end: rest.end };
    }
    at = quote + 2;
  }
}

function plainCell(text: string, from: number, separator: string): { text: string; end: number } {
  let end = from;
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end += 1;
  return { text: text.slice(from, end), end };
}

function countBreaks(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
