import { dayUs } from '@vantage/domain';
import { Fault } from '@vantage/kernel';
import type pg from 'pg';
import { copyOut, copyTextIn } from '../backup/copy-text.ts';
import { columnList, linesIn, quoted } from '../backup/snapshot.ts';
import { type CopiedTable, type KeyColumn, readPartitions } from './tables.ts';

/** Two connections: rows go from the one to the other. */
export interface Pair {
  readonly source: pg.Client;
  readonly target: pg.Client;
}

/** Copies the rows of a query into a table; returns their number. */
async function pipeRows(
  { source, target }: Pair,
  query: string,
  into: string,
  onRows: (rows: number) => void = () => {},
): Promise<number> {
  let rows = 0;
  for await (const content of copyOut(source, `copy (${query}) to stdout`)) {
    await copyTextIn(target, `copy ${into} from stdin`, content);
    rows += linesIn(content);
    onRows(rows);
  }
  return rows;
}

/** Copies all rows of a table into an empty one; returns their number. */
export function copyTable(
  pair: Pair,
  { name, columns }: CopiedTable,
  onRows: (rows: number) => void,
): Promise<number> {
  const list = columnList(columns);
  return pipeRows(pair, `select ${list} from ${quoted(name)}`, `${quoted(name)} (${list})`, onRows);
}

/** The tables with noted changes; the source's transaction says which are seen. */
export async function changedTables(
  source: pg.Client,
  tables: readonly CopiedTable[],
): Promise<readonly CopiedTable[]> {
  const { rows } = await source.query<{ name: string }>(
    'select distinct table_name as name from copy_changes',
  );
  const names = new Set(rows.map(({ name }) => name));
  return tables.filter(({ name }) => names.has(name));
}

/** The keys of a table's noted changes, as a query on the source. */
export function changedKeys({ name, key }: CopiedTable): string {
  const fields = key.map((column, at) => `(key->>${at})::${column.type} as ${quoted(column.name)}`);
  return `select distinct ${fields.join(', ')} from copy_changes where table_name = '${name.replaceAll("'", "''")}'`;
}

/** A temporary table of the target with the keys of a table's changes. */
export function keysTable({ name }: CopiedTable): string {
  return quoted(`keys of ${name}`);
}

/**
 * Replaces the rows whose keys were noted by those that the source has now; both connections are in a transaction.
 * Returns the number of keys. The keys stay in `keysTable` until the target's transaction ends.
 */
export async function copyChanges(pair: Pair, table: CopiedTable): Promise<number> {
  const { name, columns, key } = table;
  const { target } = pair;
  const own = quoted(name);
  const keys = keysTable(table);
  const names = columnList(key.map((column) => column.name));
  await target.query(`create temporary table ${keys} (${key.map(declared).join(', ')}) on commit drop`);
  const count = await pipeRows(pair, changedKeys(table), `${keys} (${names})`);
  await target.query(`analyze ${keys}`);
  await target.query(`delete from ${own} t using ${keys} k where ${joined(key)}`);
  const list = columns.map((column) => `t.${quoted(column)}`).join(', ');
  await pipeRows(
    pair,
    `select ${list} from ${own} t join (${changedKeys(table)}) k on ${joined(key)}`,
    `${own} (${columnList(columns)})`,
  );
  return count;
}

function declared({ name, type }: KeyColumn): string {
  return `${quoted(name)} ${type}`;
}

/** The condition under which a row `t` has the key `k`. */
export function joined(key: readonly KeyColumn[]): string {
  return key.map(({ name }) => `t.${quoted(name)} = k.${quoted(name)}`).join(' and ');
}

/**
 * Gives the target the partitions of the source. `copied` are those whose rows are there. Throws a Fault when a
 * partition was dropped and made again meanwhile, because its rows were not noted.
 */
export async function copyPartitions(
  { source, target }: Pair,
  copied?: ReadonlyMap<string, string>,
): Promise<void> {
  const wanted = await readPartitions(source);
  for (const [name, oid] of copied ?? [])
    if ((wanted.get(name) ?? oid) !== oid)
      throw new Fault(
        'retry',
        'partition_changed',
        `the partition ${name} was made anew meanwhile: copy again`,
      );
  const there = await readPartitions(target);
  for (const name of there.keys()) if (!wanted.has(name)) await target.query(`drop table ${quoted(name)}`);
  for (const name of wanted.keys()) if (!there.has(name)) await addPartition(target, name);
}

async function addPartition(target: pg.Client, name: string): Promise<void> {
  const [, year, month, day] = /^checks_(\d{4})(\d\d)(\d\d)$/.exec(name) ?? [];
  if (day === undefined) throw new Fault('stop', 'partition', `the partition ${name} has an unknown name`);
  const fromUs = Date.parse(`${year}-${month}-${day}`) * 1000;
  await target.query(
    `create table ${quoted(name)} partition of check_rows for values from (${fromUs}) to (${fromUs + dayUs})`,
  );
}

/** Gives the sequences of the target the numbers of the source. */
export async function copySequences({ source, target }: Pair): Promise<void> {
  const { rows } = await source.query<{ name: string; last: string }>(
    `select sequencename as name, last_value::text as last from pg_sequences
     where schemaname = 'public' and last_value is not null and sequencename not like 'migrations%'`,
  );
  for (const { name, last } of rows)
    await target.query('select setval($1::regclass, $2)', [quoted(name), last]);
}
