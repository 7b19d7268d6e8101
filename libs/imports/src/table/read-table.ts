import type { Method } from '@vantage/domain';
import { createReadingBuilder, type FormatReading } from '../found-check.ts';
import { type ColumnMeaning, fieldOfMeaning } from './column-meanings.ts';
import { parseTable, type TableRow } from './parse-table.ts';
import { checkOfRow } from './row-check.ts';
import { findColumns, type TableColumn, type TableColumns } from './table-columns.ts';

/**
 * Reads a table: CSV, TSV, or cells pasted from a spreadsheet. A row that is not imported is reported with its line.
 */
export function readTable(text: string, file: string): FormatReading {
  const { separator, rows } = parseTable(text, file);
  const table = findColumns(rows, file);
  const areMinutes = areIntervalsMinutes(table);
  const reading = createReadingBuilder();
  const guessedMethods = new Map<Method, number>();
  for (const row of table.rows) {
    const read = checkOfRow(row, table.columns, areMinutes ? 60 : 1);
    if (typeof read === 'string')
      reading.refused.push({ at: `line ${row.line}`, name: nameOf(row, table), text: read });
    else {
      const { method } = read.check;
      if (read.isMethodGuessed) guessedMethods.set(method, (guessedMethods.get(method) ?? 0) + 1);
      reading.checks.push(read.check);
    }
  }
  return {
    ...reading,
    things: 'rows',
    shown: [
      `separated by ${separatorNames[separator] ?? separator}, ${table.guessed ? 'without headers: columns guessed by their contents' : 'with headers'}`,
      ...table.columns.map((column) => describeColumn(column, table, areMinutes)),
      ...[...guessedMethods].map(
        ([method, count]) => `Method ${method} guessed by scheme, port or path: ${count} rows`,
      ),
    ],
  };
}

const separatorNames: Readonly<Record<string, string>> = {
  '\t': 'tabs',
  ',': 'commas',
  ';': 'semicolons',
  '|': 'bars',
};

/** The use of a column, for the report. */
function describeColumn(
  { header, meaning, option, index, unitSeconds }: TableColumn,
  { rows }: TableColumns,
  areMinutes: boolean,
): string {
  const name = JSON.stringify(header);
  if (meaning === 'option') return `${name} is Options.${option}`;
  if (meaning === undefined)
    return rows.some(({ cells }) => (cells[index] ?? '').trim() !== '')
      ? `${name} is not read`
      : `${name} is not read (and empty)`;
  const unit =
    meaning === 'interval' && unitSeconds === undefined
      ? `, numbers without a unit in ${areMinutes ? 'minutes' : 'seconds'}`
      : '';
  return `${name} is ${fieldOfMeaning[meaning]}${unit}`;
}

/** Whether intervals without a unit are minutes: they are when none is over 60. */
function areIntervalsMinutes({ columns, rows }: TableColumns): boolean {
  const column = columns.find(({ meaning }) => meaning === 'interval');
  if (column === undefined) return false;
  return rows.every(({ cells }) => {
    const text = (cells[column.index] ?? '').trim();
    return !/^\d+(\.\d+)?$/.test(text) || Number(text) <= 60;
  });
}

function nameOf(row: TableRow, { columns }: TableColumns): string {
  const cell = (meaning: ColumnMeaning) => {
    const column = columns.find((candidate) => candidate.meaning === meaning);
    return column === undefined ? '' : (row.cells[column.index] ?? '').trim();
  };
  return cell('name') || cell('shortName') || cell('address');
}
