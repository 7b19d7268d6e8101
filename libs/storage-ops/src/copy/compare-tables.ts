import { Fault } from '@vantage/kernel';
import { columnList, quoted } from '../sql/quoted-names.ts';
import type { CopiedTable } from './copied-tables.ts';
import { type CopyPair, changedKeys, keysTable, matchesKey } from './transfer-rows.ts';

/** The number of rows, and a sum that does not depend on their order. */
interface TableDigest {
  readonly rows: string;
  readonly sum: string;
}

/** Counts and sums the rows of a query: the first 64 bits of the MD5 of each row as text. */
function digestText(query: string): string {
  return `select count(*)::text as rows, coalesce(sum(('x' || left(md5(r::text), 16))::bit(64)::bigint::numeric), 0)::text as sum
    from (${query}) r`;
}

async function compare(
  { source, target }: CopyPair,
  name: string,
  sourceQuery: string,
  targetQuery: string,
): Promise<number> {
  const answers = await Promise.all([
    source.query<TableDigest>(digestText(sourceQuery)),
    target.query<TableDigest>(digestText(targetQuery)),
  ]);
  const [from, to] = answers.map(({ rows }) => rows[0]);
  if (from === undefined || from.rows !== to?.rows || from.sum !== to.sum)
    throw new Fault(
      'stop',
      'copy_differs',
      `the copy of the table ${name} differs: ${from?.rows} rows with the sum ${from?.sum} in FROM, ${to?.rows} with ${to?.sum} in TO; FROM stays in use`,
    );
  return Number(from.rows);
}

/** Compares all rows of a table, and returns their number. Throws a Fault when they differ. */
export function compareTable(pair: CopyPair, { name, columns }: CopiedTable): Promise<number> {
  const query = `select ${columnList(columns)} from ${quoted(name)}`;
  return compare(pair, name, query, query);
}

/**
 * Compares the rows of a table that were changed since the last round. Call it after `copyChanges`, in the same
 * transaction of the target. Throws a Fault when they differ.
 */
export function compareChanges(pair: CopyPair, table: CopiedTable): Promise<number> {
  const list = table.columns.map((column) => `t.${quoted(column)}`).join(', ');
  const rows = (keys: string) =>
    `select ${list} from ${quoted(table.name)} t join ${keys} k on ${matchesKey(table.key)}`;
  return compare(pair, table.name, rows(`(${changedKeys(table)})`), rows(keysTable(table)));
}
