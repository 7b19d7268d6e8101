import { spanSeconds } from '../values/span-seconds.ts';
import { truthOf } from '../values/unknown-values.ts';
import type { ColumnMeaning } from './column-meanings.ts';
import type { TableRow } from './parse-table.ts';
import type { TableColumn } from './table-columns.ts';

const maxSpanSeconds = 31_536_000;

/** The reason why a row is not imported. `readRow` catches it. */
export class RowRefusal extends Error {}

/** The cells of a row by the meaning of their columns. A value that is not accepted throws a RowRefusal. */
export interface RowCells {
  /** The trimmed text; undefined where it is empty or there is no such column. */
  readonly text: (meaning: ColumnMeaning) => string | undefined;
  readonly wholeNumber: (meaning: ColumnMeaning, min: number, max: number) => number | undefined;
  /** A number without a unit counts in `bareSeconds`, unless the header names a unit. */
  readonly seconds: (meaning: ColumnMeaning, bareSeconds: number) => number | undefined;
  readonly truth: (meaning: ColumnMeaning) => boolean | undefined;
  /** The parts between `;`, `,` or `|`. */
  readonly list: (meaning: ColumnMeaning) => string[] | undefined;
  /** The cells of the columns `Options.NAME`. */
  readonly options: () => readonly { readonly path: readonly string[]; readonly text: string }[];
}

export function cellsOf(row: TableRow, columns: readonly TableColumn[]): RowCells {
  const columnOf = (meaning: ColumnMeaning) => columns.find((column) => column.meaning === meaning);
  const cellAt = (index: number) => (row.cells[index] ?? '').trim();
  const text = (meaning: ColumnMeaning) => {
    const column = columnOf(meaning);
    return column === undefined ? undefined : cellAt(column.index) || undefined;
  };
  return {
    text,
    wholeNumber(meaning, min, max) {
      const digits = text(meaning);
      if (digits === undefined) return undefined;
      const number = /^\d{1,9}(\.0+)?$/.test(digits) ? Number(digits) : Number.NaN;
      if (number >= min && number <= max) return number;
      throw wrongCell(columnOf(meaning)?.header, `a whole number from ${min} to ${max}`, digits);
    },
    seconds(meaning, bareSeconds) {
      const span = text(meaning);
      if (span === undefined) return undefined;
      const column = columnOf(meaning);
      const seconds = spanSeconds(span, column?.unitSeconds ?? bareSeconds);
      if (seconds !== undefined && seconds > 0 && seconds <= maxSpanSeconds) return seconds;
      throw wrongCell(column?.header, 'a span such as 60, 30s or 5m', span);
    },
    truth(meaning) {
      const word = text(meaning);
      const value = truthOf(word);
      if (word === undefined || value !== undefined) return value;
      throw wrongCell(columnOf(meaning)?.header, 'yes or no', word);
    },
    list: (meaning) =>
      text(meaning)
        ?.split(/[;,|]/)
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    options: () =>
      columns.flatMap(({ meaning, option, index }) =>
        meaning === 'option' && option !== undefined && cellAt(index) !== ''
          ? [{ path: option.split('.'), text: cellAt(index) }]
          : [],
      ),
  };
}

/** `Timeout must be a span such as 60, 30s or 5m, but is "soon"`. */
export function wrongCell(header: string | undefined, accepted: string, text: string): RowRefusal {
  return new RowRefusal(`${header} must be ${accepted}, but is ${JSON.stringify(text.slice(0, 40))}`);
}
