import { type RawBuilder, sql } from 'kysely';

/**
 * The offset and limits of most requests: the first page, of 25 or 100 rows and one more, and the first 1,000 devices
 * of a search.
 */
const usual = new Set([0, 26, 101, 1_000]);

/**
 * A limit or offset in a statement. With a parameter as limit, PostgreSQL plans a prepared statement for a tenth of all
 * rows, so the usual numbers are literals. All others are parameters, which keeps the number of different texts small.
 */
export function rowCount(rows: number): RawBuilder<number> {
  return isUsual(rows) ? sql.lit(rows) : sql<number>`${rows}`;
}

/** Whether `rowCount` writes this number as a literal. */
export function isUsual(rows: number): boolean {
  return usual.has(rows);
}
