import type pg from 'pg';
import { tablesOfOneDatabase } from '../backup/backup-head.ts';
import { quoted } from '../sql/quoted-names.ts';

export interface KeyColumn {
  readonly name: string;
  readonly type: string;
}

export interface CopiedTable {
  readonly name: string;
  /** Without generated columns. */
  readonly columns: readonly string[];
  /** Identifies a row, or rows that are copied together. None of these columns is null. */
  readonly key: readonly KeyColumn[];
}

/**
 * The tables of a database. The key is the primary key, else the columns of the first index without nullable columns,
 * else all columns that are not nullable.
 */
export async function readTables(client: pg.Client): Promise<readonly CopiedTable[]> {
  const { rows } = await client.query<CopiedTable>(
    `with tables as (
       select oid, relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
         and not relispartition and relname <> all ($1)),
     columns as (
       select attrelid, attnum, attname, atttypid, atttypmod, attnotnull from pg_attribute
       where attnum > 0 and not attisdropped and attgenerated = ''),
     keys as (
       select distinct on (i.indrelid) i.indrelid, i.indkey[0:i.indnkeyatts - 1] as nums from pg_index i
       where i.indexprs is null and i.indpred is null and not exists (
         select from columns c where c.attrelid = i.indrelid and c.attnum = any (i.indkey[0:i.indnkeyatts - 1]) and not c.attnotnull)
       order by i.indrelid, i.indisprimary desc, i.indexrelid)
     select t.relname as name, array_agg(c.attname::text order by c.attnum) as columns,
       json_agg(json_build_object('name', c.attname, 'type', format_type(c.atttypid, c.atttypmod)) order by c.attnum)
         filter (where c.attnotnull and (k.nums is null or c.attnum = any (k.nums))) as key
     from tables t join columns c on c.attrelid = t.oid left join keys k on k.indrelid = t.oid
     group by t.relname order by t.relname`,
    [tablesOfOneDatabase],
  );
  return rows;
}

/** The OIDs of the partitions of `check_rows` by name. A partition that was dropped and recreated has another OID. */
export async function readPartitions(client: pg.Client): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ name: string; oid: string }>(
    `select c.relname as name, c.oid::text as oid from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'check_rows'::regclass`,
  );
  return new Map(rows.map(({ name, oid }) => [name, oid]));
}

/** The statements that create the references between tables, by table and name. */
export async function readReferences(client: pg.Client): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ within: string; name: string; text: string }>(
    `select conrelid::regclass::text as within, quote_ident(conname) as name,
       regexp_replace(pg_get_constraintdef(oid), ' NOT VALID$', '') as text
     from pg_constraint where contype = 'f' and conparentid = 0 and connamespace = 'public'::regnamespace`,
  );
  return new Map(
    rows.map(({ within, name, text }) => [
      `${within} ${name}`,
      `alter table ${within} add constraint ${name} ${text}`,
    ]),
  );
}

/** Prevents, until the transaction ends, that a table or partition is dropped or rewritten. */
export async function lockTablesForReading(client: pg.Client, tables: readonly CopiedTable[]): Promise<void> {
  await client.query(`lock table ${tables.map(({ name }) => quoted(name)).join(', ')} in access share mode`);
}
