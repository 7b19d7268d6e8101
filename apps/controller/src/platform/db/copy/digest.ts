import { Fault } from '@vantage/kernel';
import { columnList, quoted } from '../backup/snapshot.ts';
import type { CopiedTable } from './tables.ts';
import { changedKeys, joined, keysTable, type Pair } from './transfer.ts';

/** The number of rows, and a sum over them that does not depend on their order. */
interface Digest {
  readonly rows: string;
  readonly sum: string;
}

/** Counts and sums the rows of a query: the first 64 bits of the MD5 of each row as text. */
function digestText(query: string): string {
  return `select count(*)::text as rows, coalesce(sum(('x' || left(md5(r::text), 16))::bit(64)::bigint::numeric), 0)::text as sum
    from (${query}) r`;
}

async function compare({ source, target }: Pair, name: string, there: string, here: string): Promise<number> {
  const answers = await Promise.all([
    source.query<Digest>(digestText(there)),
    target.query<Digest>(digestText(here)),
  ]);
  const [one, other] = answers.map(({ rows }) => rows[0]);
  if (one === undefined || one.rows !== other?.rows || one.sum !== other.sum)
    throw new Fault(
      'stop',
      'copy_differs',
      `the copy of the table ${name} differs: ${one?.rows} rows with the sum ${one?.sum} in FROM, ${other?.rows} with ${other?.sum} in TO; FROM stays in use`,
    );
  return Number(one.rows);
}

/** Compares all rows of a table, and returns their number. Throws a Fault where they differ. */
export function compareTable(pair: Pair, { name, columns }: CopiedTable): Promise<number> {
  const query = `select ${columnList(columns)} from ${quoted(name)}`;
  return compare(pair, name, query, query);
}

/**
 * Compares the rows of a table that were changed since the last round; `copyChanges` was called in the transaction of
 * the target. Throws a Fault where they differ.
 */
export function compareChanges(pair: Pair, table: CopiedTable): Promise<number> {
  const list = table.columns.map((column) => `t.${quoted(column)}`).join(', ');
  const rows = (keys: string) =>
    `select ${list} from ${quoted(table.name)} t join ${keys} k on ${joined(table.key)}`;
  return compare(pair, table.name, rows(`(${changedKeys(table)})`), rows(keysTable(table)));
}
