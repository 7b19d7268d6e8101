import { ownerRole, superuserRole } from '@vantage/storage-ops/embedded/owner-role';
import pg from 'pg';
import { z } from 'zod';
import { sampleSchema } from './sample.ts';

/** A heap of more bytes is estimated by its visibility map instead of being read whole. */
const readWholeBytes = 32 * 1024 * 1024;

const tablesSql = `
select coalesce(pg_partition_root(c.oid), c.oid)::regclass::text as "table",
  sum(pg_relation_size(c.oid))::float8 as "heapBytes",
  coalesce(sum(pg_total_relation_size(nullif(c.reltoastrelid, 0))), 0)::float8 as "toastBytes",
  sum(t.live_rows)::float8 as "liveRows", sum(t.live_bytes)::float8 as "liveBytes",
  sum(t.dead_rows)::float8 as "deadRows", sum(t.free_bytes)::float8 as "freeBytes",
  coalesce(sum(s.n_tup_upd + s.n_tup_del), 0)::float8 as "changedRows",
  coalesce(sum(s.n_tup_hot_upd), 0)::float8 as "hotChanges",
  coalesce(sum(s.autovacuum_count + s.vacuum_count), 0)::float8 as vacuums
from pg_class c
left join pg_stat_user_tables s on s.relid = c.oid
cross join lateral (
  select tuple_count as live_rows, tuple_len as live_bytes, dead_tuple_count as dead_rows, free_space as free_bytes
  from soak.pgstattuple(c.oid) where pg_relation_size(c.oid) < ${readWholeBytes}
  union all
  select approx_tuple_count, approx_tuple_len, dead_tuple_count, approx_free_space
  from soak.pgstattuple_approx(c.oid) where pg_relation_size(c.oid) >= ${readWholeBytes}) t
where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
group by 1 order by 1`;

const indexesSql = `
select coalesce(pg_partition_root(c.oid), c.oid)::regclass::text as index,
  coalesce(pg_partition_root(i.indrelid), i.indrelid)::regclass::text as "table",
  sum(pg_relation_size(c.oid))::float8 as bytes,
  (sum(b.leaf_pages * nullif(b.avg_leaf_density, 'NaN')) / nullif(sum(b.leaf_pages), 0) / 100)::float8 as density
from pg_class c
join pg_index i on i.indexrelid = c.oid
join pg_am a on a.oid = c.relam
left join lateral soak.pgstatindex(case when a.amname = 'btree' then c.oid::regclass end) b on true
where c.relnamespace = 'public'::regnamespace and c.relkind = 'i'
group by 1, 2 order by 1`;

const sumsSql = `
select (select count(*) from pg_inherits where inhparent = 'check_rows'::regclass)::float8 as partitions,
  (pg_current_wal_lsn() - '0/0')::float8 as "walBytes",
  (select sum(size) from pg_ls_waldir())::float8 as "walKeptBytes",
  (select temp_bytes from pg_stat_database where datname = current_database())::float8 as "temporaryBytes",
  (select coalesce(max(age(backend_xmin)), 0) from pg_stat_activity where pid <> pg_backend_pid())::float8
    as "oldestSnapshot",
  (select count(*) from events)::float8 as events`;

const latenessSql = `
select percentile_cont(0.5) within group (order by block_ms) as p50,
  percentile_cont(0.99) within group (order by block_ms) as p99
from checks where attempt = 0 and start_us between $1::bigint - 75000000 and $1::bigint - 15000000`;

const readSchema = sampleSchema.pick({
  tables: true,
  indexes: true,
  partitions: true,
  walBytes: true,
  walKeptBytes: true,
  temporaryBytes: true,
  oldestSnapshot: true,
  latenessMs: true,
  events: true,
});

/** A connection of the superuser that reads sizes. Disposing ends it. */
export interface DatabaseReader extends AsyncDisposable {
  readonly client: pg.Client;
  read(nowUs: number): Promise<z.infer<typeof readSchema>>;
}

/** Connects to the embedded database whose owner's URL is given, and adds the extension pgstattuple in a schema. */
export async function openDatabaseReader(databaseUrl: string): Promise<DatabaseReader> {
  const connectionString = databaseUrl.replace(`//${ownerRole}@`, `//${superuserRole}@`);
  const client = new pg.Client({ connectionString });
  client.on('error', () => {}); // it ends before its client when the run is interrupted
  await client.connect();
  await client.query('create schema if not exists soak');
  await client.query('create extension if not exists pgstattuple schema soak');
  return {
    client,
    async read(nowUs) {
      const rowsOf = async (sql: string, values: readonly unknown[] = []): Promise<unknown[]> =>
        (await client.query(sql, [...values])).rows;
      const [sums] = await rowsOf(sumsSql);
      return readSchema.parse({
        ...z.record(z.string(), z.unknown()).parse(sums),
        tables: await rowsOf(tablesSql),
        indexes: await rowsOf(indexesSql),
        latenessMs: (await rowsOf(latenessSql, [nowUs]))[0],
      });
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}
