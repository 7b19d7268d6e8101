import { createHash } from 'node:crypto';
import { type Logger, messageOf } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import { propagation } from '../distribute/history-tables.ts';
import { stateOf } from '../pool/pg-error.ts';
import type { Tables } from '../schema/tables.ts';
import { rowRules, specialViews, toSql, unscopedTables, versionedTables } from './scope-rules.ts';

/**
 * The views in this schema have the names of the tables, so every statement of a limited caller's request reads and
 * writes only the rows that the caller can see.
 */
export const scopedSchema = 'vantage_scoped';

/** The SQLSTATE of a role that lacks a privilege. */
const refusedState = '42501';

export const noViewsText =
  'callers who are limited to tags are refused: the database has no views for them; a migration runs, or the role lacks the privilege to create a schema (grant create on database)';

/**
 * Recreates the views where they do not match this version and the tables. Call it after the migrations, under their
 * lock. Until then, after `dropScope`, requests of limited callers fail, because they never read the tables instead of
 * the views. They also fail where the role cannot create a schema; the log reports that.
 */
export async function createScope(kysely: Kysely<Tables>, log: Logger): Promise<void> {
  const creating = kysely.transaction().execute(async (trx) => {
    const views = await viewStatements(trx);
    if ((await fingerprintOf(trx)) !== digestOf(views)) await writeScope(trx, views);
  });
  await creating.catch((error: unknown) => {
    if (stateOf(error) !== refusedState) throw error;
    log.warn({ error: messageOf(error) }, noViewsText);
  });
}

/** Runs `work`, which changes tables of which the views read, without the views, and recreates them where they are. */
export async function withoutScope(trx: Kysely<Tables>, work: () => Promise<void>): Promise<void> {
  const hasViews = (await fingerprintOf(trx)) !== undefined;
  await dropScope(trx);
  await work();
  if (hasViews) await writeScope(trx, await viewStatements(trx));
}

function digestOf(views: readonly string[]): string {
  return createHash('sha256').update(views.join('\n')).digest('hex');
}

/** The digest of the present views; undefined: there are none. */
async function fingerprintOf(trx: Kysely<Tables>): Promise<string | undefined> {
  const { rows } = await sql<{ fingerprint: string | null }>`
    select obj_description(to_regnamespace(${scopedSchema}), 'pg_namespace') as fingerprint`.execute(trx);
  return rows[0]?.fingerprint ?? undefined;
}

async function writeScope(trx: Kysely<Tables>, views: readonly string[]): Promise<void> {
  await sql.raw(propagation(`'off'`)).execute(trx);
  await dropScope(trx);
  for (const statement of [
    `create schema ${scopedSchema}`,
    `comment on schema ${scopedSchema} is '${digestOf(views)}'`,
    `create view ${scopedSchema}.scope_ready as select true as ready`,
    ...views,
  ])
    await sql.raw(statement).execute(trx);
}

/** Drops the views, because a migration cannot change a column on which a view depends. */
export async function dropScope(kysely: Kysely<Tables>): Promise<void> {
  await sql.raw(`drop schema if exists ${scopedSchema} cascade`).execute(kysely);
}

async function viewStatements(trx: Kysely<Tables>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string; columns: string; has_device: boolean }>`
    select c.relname as name, bool_or(a.attname = 'device_no') as has_device,
      string_agg(format('r.%I', a.attname), ', ' order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition
    group by c.relname order by c.relname`.execute(trx);
  const { rows: bases } = await sql<{ base: string }>`select format('%I', current_schema()) as base`.execute(
    trx,
  );
  const base = bases[0]?.base ?? 'public';
  return rows.flatMap(({ name, columns, has_device }) => {
    const rule =
      rowRules[name] ?? (has_device && !unscopedTables.has(name) ? 'visible({}.device_no)' : undefined);
    const body =
      specialViews[name] ??
      (rule === undefined
        ? undefined
        : `select ${columns}${versionedTables.has(name) ? ', r.xmin, r.ctid' : ''} from tables.${name} r where ${rule}`);
    return body === undefined ? [] : [`create view ${scopedSchema}.${name} as ${toSql(body, base)}`];
  });
}
