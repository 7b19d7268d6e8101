import { type RawBuilder, sql } from 'kysely';

/**
 * The limits and the offset of the first pages that most clients ask for: 25 and 100 rows, and one more; the first
 * devices of a search.
 */
const usual = new Set([0, 26, 101, 1_000]);

/**
 * A limit or offset in a statement. PostgreSQL plans a prepared statement for a tenth of all rows where its limit is a
 * parameter, so the usual numbers stand in the text. All others are parameters, so that the number of different texts
 * stays small.
 */
export function rowCount(rows: number): RawBuilder<number> {
  return isUsual(rows) ? sql.lit(rows) : sql<number>`${rows}`;
}

/** Does this number stand in the text of a statement? */
export function isUsual(rows: number): boolean {
  return usual.has(rows);
}
