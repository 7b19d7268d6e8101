import { dayUs } from '@vantage/domain';
import { Fault } from '@vantage/kernel';
import type pg from 'pg';
import { copyOut, copyTextIn, countRows } from '../sql/copy-text.ts';
import { columnList, quoted } from '../sql/quoted-names.ts';
import { type CopiedTable, type KeyColumn, readPartitions } from './copied-tables.ts';

/** The connections to both databases. */
export interface CopyPair {
  readonly source: pg.Client;
  readonly target: pg.Client;
}

/** Copies the rows of a query into a table; returns their number. */
async function pipeRows(
  { source, target }: CopyPair,
  query: string,
  into: string,
  onRows: (rows: number) => void = () => {},
): Promise<number> {
  let rows = 0;
  for await (const content of copyOut(source, `copy (${query}) to stdout`)) {
    await copyTextIn(target, `copy ${into} from stdin`, content);
    rows += countRows(content);
    onRows(rows);
  }
  return rows;
}

/** Copies all rows of a table into an empty one; returns their number. */
export function copyTable(
  pair: CopyPair,
  { name, columns }: CopiedTable,
  onRows: (rows: number) => void,
): Promise<number> {
  const list = columnList(columns);
  return pipeRows(pair, `select ${list} from ${quoted(name)}`, `${quoted(name)} (${list})`, onRows);
}

/** The tables with recorded changes that the source's transaction sees. */
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

/** A query on the source for the keys of a table's recorded changes. */
export function changedKeys({ name, key }: CopiedTable): string {
  const fields = key.map((column, at) => `(key->>${at})::${column.type} as ${quoted(column.name)}`);
  return `select distinct ${fields.join(', ')} from copy_changes where table_name = '${name.replaceAll("'", "''")}'`;
}

/** The temporary table of the target with the keys of a table's changes. */
export function keysTable({ name }: CopiedTable): string {
  return quoted(`keys of ${name}`);
}

/**
 * Replaces the rows of the recorded keys by the present rows of the source; both connections are in a transaction.
 * Returns the number of keys. The keys stay in `keysTable` until the target's transaction ends.
 */
export async function copyChanges(pair: CopyPair, table: CopiedTable): Promise<number> {
  const { name, columns, key } = table;
  const { target } = pair;
  const quotedName = quoted(name);
  const keys = keysTable(table);
  const names = columnList(key.map((column) => column.name));
  await target.query(`create temporary table ${keys} (${key.map(declared).join(', ')}) on commit drop`);
  const count = await pipeRows(pair, changedKeys(table), `${keys} (${names})`);
  await target.query(`analyze ${keys}`);
  await target.query(`delete from ${quotedName} t using ${keys} k where ${matchesKey(key)}`);
  const list = columns.map((column) => `t.${quoted(column)}`).join(', ');
  await pipeRows(
    pair,
    `select ${list} from ${quotedName} t join (${changedKeys(table)}) k on ${matchesKey(key)}`,
    `${quotedName} (${columnList(columns)})`,
  );
  return count;
}

function declared({ name, type }: KeyColumn): string {
  return `${quoted(name)} ${type}`;
}

/** The condition under which a row `t` has the key `k`. */
export function matchesKey(key: readonly KeyColumn[]): string {
  return key.map(({ name }) => `t.${quoted(name)} = k.${quoted(name)}`).join(' and ');
}

/**
 * Creates the partitions of the source in the target. `copied` are the partitions whose rows were copied. Throws a
 * Fault when one of them was dropped and recreated meanwhile, because that recorded no rows.
 */
export async function copyPartitions(
  { source, target }: CopyPair,
  copied?: ReadonlyMap<string, string>,
): Promise<void> {
  const sourcePartitions = await readPartitions(source);
  for (const [name, oid] of copied ?? [])
    if ((sourcePartitions.get(name) ?? oid) !== oid)
      throw new Fault(
        'retry',
        'partition_changed',
        `the partition ${name} was recreated meanwhile: copy again`,
      );
  const targetPartitions = await readPartitions(target);
  for (const name of targetPartitions.keys())
    if (!sourcePartitions.has(name)) await target.query(`drop table ${quoted(name)}`);
  for (const name of sourcePartitions.keys())
    if (!targetPartitions.has(name)) await addPartition(target, name);
}

async function addPartition(target: pg.Client, name: string): Promise<void> {
  const [, year, month, day] = /^checks_(\d{4})(\d\d)(\d\d)$/.exec(name) ?? [];
  if (day === undefined) throw new Fault('stop', 'partition', `the partition ${name} has an unknown name`);
  const fromUs = Date.parse(`${year}-${month}-${day}`) * 1000;
  await target.query(
    `create table ${quoted(name)} partition of check_rows for values from (${fromUs}) to (${fromUs + dayUs})`,
  );
}

/** Sets the sequences of the target to the numbers of the source. */
export async function copySequences({ source, target }: CopyPair): Promise<void> {
  const { rows } = await source.query<{ name: string; last: string }>(
    `select sequencename as name, last_value::text as last from pg_sequences
     where schemaname = 'public' and last_value is not null and sequencename not like 'migrations%'`,
  );
  for (const { name, last } of rows)
    await target.query('select setval($1::regclass, $2)', [quoted(name), last]);
}
