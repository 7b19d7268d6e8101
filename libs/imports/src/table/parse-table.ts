import { CsvError, parse } from 'csv-parse/sync';
import { maxItems } from '../input/max-items.ts';
import { unreadable } from '../input/text-file.ts';

/** A row with the line on which it begins. */
export interface TableRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** The rows of a table. Blank rows are left out. */
export interface ParsedTable {
  readonly separator: string;
  readonly rows: readonly TableRow[];
}

const separators = ['\t', ',', ';', '|'];
const maxColumns = 200;

/** Parses a table (RFC 4180, any of four separators, or the one that a first line `sep=;` names). */
export function parseTable(text: string, file: string): ParsedTable {
  // csv-parse would count "\r\n" inside of a quoted cell as two lines.
  const content = text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');
  const [declaration = '', declared] = /^sep=(.)\n/i.exec(content) ?? [];
  const separator = declared ?? guessSeparator(content);
  const firstLine = declared === undefined ? 1 : 2;
  const rows = parseRows(content.slice(declaration.length), { separator, firstLine, file });
  if (rows.length > maxItems + 1) throw unreadable(`${file} has more than ${maxItems} rows; split it`);
  return { separator, rows };
}

/** The separator that the most rows have equally often. Text in quotes does not count. */
function guessSeparator(text: string): string {
  const sample = text.slice(0, 64 * 1024);
  const lines = sample
    .split('\n')
    .slice(0, 50)
    .filter((line) => line.trim() !== '')
    .map((line) => line.replaceAll(/"(?:[^"]|"")*"/g, ''));
  const scores = separators.map((separator) => {
    const counts = lines.map((line) => line.split(separator).length - 1);
    const [first = 0] = counts;
    const equal = counts.filter((count) => count === first).length;
    return { separator, score: first === 0 ? 0 : equal / lines.length + first / 1000 };
  });
  const best = scores.reduce((a, b) => (b.score > a.score ? b : a));
  return best.score > 0 ? best.separator : ',';
}

function parseRows(
  text: string,
  { separator, firstLine, file }: { separator: string; firstLine: number; file: string },
): TableRow[] {
  const rows: TableRow[] = [];
  let line = firstLine;
  try {
    parse(text, {
      delimiter: separator,
      record_delimiter: '\n',
      relax_column_count: true,
      relax_quotes: true,
      on_record(cells, { lines }) {
        if (cells.length > maxColumns)
          throw unreadable(`${file}:${line} has more than ${maxColumns} columns`);
        if (cells.some((cell) => cell.trim() !== ''))
          rows.push({ line, cells: cells.map(withoutApostrophe) });
        line = firstLine + lines;
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError) || error.code !== 'CSV_QUOTE_NOT_CLOSED') throw error;
    throw unreadable(
      `${file}:${line} has a quote (") that never closes; a quote inside a quoted cell is written twice`,
    );
  }
  return rows;
}

/** A spreadsheet keeps a text that begins like a formula after an apostrophe. */
function withoutApostrophe(cell: string): string {
  return cell.replace(/^'(?='*[=+@-])/, '');
}
