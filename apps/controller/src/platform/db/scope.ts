import { createHash } from 'node:crypto';
import { type Logger, messageOf } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import { isDistributed, propagation, stages } from './distribute/history-tables.ts';
import { stateOf } from './pg-error.ts';
import type { Tables } from './schema.ts';

/**
 * Its views have the names of the tables, so whatever a limited caller's request reads or writes, it is rows of devices
 * that they may see.
 */
const schema = 'vantage_scoped';

/** Why what a limited caller wrote is refused, by SQLSTATE; the first two are those of migration 0145. */
const refusals: Readonly<Record<string, ScopeRefusal['reason']>> = {
  VS001: 'leaves',
  VS002: 'account',
  '23503': 'taken',
  '23505': 'taken',
};

/** The SQLSTATE of a transaction in which a statement failed (PostgreSQL, appendix A). */
const failedState = '25P02';

/** The SQLSTATE of a table, or its schema, that is not there. */
const noTableState = '42P01';
/** The SQLSTATE of a role that lacks a privilege. */
const refusedState = '42501';

const noViews =
  'callers who are limited to tags are refused: the database has no views for them; a migration runs, or the role lacks the privilege to create a schema (grant create on database)';

/** There are no views for limited callers. */
export class ScopeNotReady extends Error {}

/**
 * A limited caller wrote a device that they would not see afterwards (`leaves`), what belongs to the whole account
 * (`account`), or what contradicts a row that they do not see (`taken`).
 */
export class ScopeRefusal extends Error {
  readonly reason: 'leaves' | 'account' | 'taken';

  constructor(reason: ScopeRefusal['reason'], options: ErrorOptions) {
    super(`a write is refused to a caller who is limited to tags: ${reason}`, options);
    this.reason = reason;
  }
}

/**
 * The condition under which a row belongs to the caller. `{}` stands for the row, `visible(column)` for a device among
 * the caller's, and `left(column)` for one that was among them within a day. What no table names here and has a column
 * `device_no` is the caller's where that device is.
 */
const rules: Readonly<Record<string, string>> = {
  events:
    '{}.device_no is null and {}.location_no is not null or visible({}.device_no) or {}.gone_tag_nos && mine',
  notifications:
    'exists (select from tables.alerts a where a.alert_no = {}.alert_no and visible(a.device_no))',
  device_marks: 'visible({}.device_no) or left({}.device_no)',
  tags: `{}.tag_no = any (mine) or exists (select from tables.device_tags o where o.tag_no = {}.tag_no and visible(o.device_no))`,
  check_counts: 'false',
  secrets: 'false',
  api_keys: '{}.tag_nos <@ mine',
  users: 'exists (select from tables.api_keys k where k.key_no = {}.key_no and k.tag_nos <@ mine)',
  audit: `{}.kind = 'device' and exists (select from tables.devices d where d.device_id = {}.id and visible(d.device_no))
    or {}.kind = 'alert' and exists (select from tables.alerts a where a.alert_id = {}.id and visible(a.device_no))
    or {}.kind = 'maintenance' and exists (select from tables.maintenance_windows w where w.maintenance_id = {}.id and visible(w.device_no))
    or exists (select from tables.device_tags t where t.tag_no = any (mine)
      and t.device_no = case when {}.kind = 'outage' then ('x' || substr({}.id, 1, 16))::bit(64)::bigint end)`,
};

/** The rule of history on workers: they cannot ask for the tags of each row, so they get all devices of the caller. */
const ofWorkers = `{}.device_no in (select t.device_no from tables.device_tags t where t.tag_no = any (mine))`;

/** Views that are more than a choice of rows. */
const special: Readonly<Record<string, string>> = {
  device_counts: `select 0::bigint as count_no, s.account_no, s.location_nos, s.status, 1 as devices, s.frequency_min
    from tables.device_state s where s.account_no <> 0 and visible(s.device_no)`,
  deleted_devices: `select g.device_id, g.account_no, g.device_no, g.deleted_us from tables.deleted_devices g where left(g.device_no)
    union all select d.device_id, d.account_no, d.device_no, 0::bigint from tables.devices d where left(d.device_no) and not visible(d.device_no)`,
};

/** Tables whose readers compare versions of rows: their views have these columns, too. */
const versioned = new Set(['devices', 'device_state']);

/**
 * Tables whose rows are of nobody's device: the number of a trial is none, and tags that were left say what is gone.
 */
const whole = new Set(['trials', 'left_tags', 'deleted_events']);

/**
 * Creates the views anew where they are not those of this version and of these tables. Call it under the lock of
 * migrations, after them. Between `dropScope` and this, requests of limited callers fail: there is no view, and the
 * tables are never read instead. So do they where the role may create no schema, which is said in the log.
 */
export async function createScope(kysely: Kysely<Tables>, log: Logger): Promise<void> {
  const creating = kysely.transaction().execute(async (trx) => {
    await sql.raw(propagation(`'off'`)).execute(trx);
    const views = await makeViews(trx);
    const fingerprint = createHash('sha256').update(views.join('\n')).digest('hex');
    const { rows } = await sql<{ made: string | null }>`
      select obj_description(to_regnamespace(${schema}), 'pg_namespace') as made`.execute(trx);
    if (rows[0]?.made === fingerprint) return;
    await dropScope(trx);
    for (const statement of [
      `create schema ${schema}`,
      `comment on schema ${schema} is '${fingerprint}'`,
      `create view ${schema}.scope_ready as select true as ready`,
      ...views,
    ])
      await sql.raw(statement).execute(trx);
  });
  await creating.catch((error: unknown) => {
    if (stateOf(error) !== refusedState) throw error;
    log.warn({ error: messageOf(error) }, noViews);
  });
}

/** Removes the views, on which no column that a migration changes may depend. */
export async function dropScope(kysely: Kysely<Tables>): Promise<void> {
  await sql.raw(`drop schema if exists ${schema} cascade`).execute(kysely);
}

/**
 * Runs `work` in the open transaction, limited to the devices that have one of these tags. Throws ScopeRefusal, which
 * is also the reason where the work failed because it did not find what it wrote, and ScopeNotReady.
 */
export async function workInScope<T>(
  kysely: Kysely<Tables>,
  tagNos: readonly number[],
  work: () => Promise<T>,
): Promise<T> {
  await enterScope(kysely, tagNos);
  try {
    return await work();
  } catch (error) {
    throw refusalOf(error) ?? error;
  } finally {
    await judgeScope(kysely);
  }
}

/** Throws ScopeNotReady where the views are not there: without them the tables themselves would be read. */
async function enterScope(kysely: Kysely<Tables>, tagNos: readonly number[]): Promise<void> {
  const entering = sql<{ ready: boolean }>`
    select ready,
      set_config('search_path', ${`${schema}, `} || regexp_replace(current_setting('search_path'), ${`^${schema}, `}, ''), true),
      set_config('vantage.scope', ${`{${tagNos.join()}}`}, true)
    from ${sql.table(`${schema}.scope_ready`)}`;
  await entering.execute(kysely).catch((cause: unknown) => {
    if (stateOf(cause) === noTableState) throw new ScopeNotReady(noViews, { cause });
    throw cause;
  });
}

/** Judges what was written since `enterScope`. In a transaction that failed already there is nothing to judge. */
async function judgeScope(kysely: Kysely<Tables>): Promise<void> {
  try {
    await sql`set constraints all immediate`.execute(kysely);
    await sql`set constraints all deferred`.execute(kysely);
  } catch (error) {
    if (stateOf(error) !== failedState) throw refusalOf(error) ?? error;
  }
}

function refusalOf(error: unknown): ScopeRefusal | undefined {
  const reason = refusals[stateOf(error)];
  return reason === undefined ? undefined : new ScopeRefusal(reason, { cause: error });
}

async function makeViews(trx: Kysely<Tables>): Promise<readonly string[]> {
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
  const elsewhere = new Set<string>((await isDistributed(trx)) ? [...stages.flat(), 'checks'] : []);
  return rows.flatMap(({ name, columns, has_device }) => {
    const rule =
      rules[name] ??
      (elsewhere.has(name)
        ? ofWorkers
        : has_device && !whole.has(name)
          ? 'visible({}.device_no)'
          : undefined);
    const body =
      special[name] ??
      (rule === undefined
        ? undefined
        : `select ${columns}${versioned.has(name) ? ', r.xmin, r.ctid' : ''} from tables.${name} r where ${rule}`);
    return body === undefined ? [] : [`create view ${schema}.${name} as ${spell(body, base)}`];
  });
}

/** The words of the rules as SQL; `base` is the schema of the tables. */
function spell(body: string, base: string): string {
  const mine = `(select current_setting('vantage.scope'))::int[]`;
  return body
    .replaceAll('{}', 'r')
    .replaceAll(
      /\bvisible\(([^)]+)\)/g,
      (_, column: string) =>
        `exists (select from tables.device_tags t where t.device_no = ${column} and t.tag_no = any (mine))`,
    )
    .replaceAll(
      /\bleft\(([^)]+)\)/g,
      (_, column: string) =>
        `exists (select from tables.left_tags t where t.device_no = ${column} and t.tag_no = any (mine))`,
    )
    .replaceAll(/\bmine\b/g, mine)
    .replaceAll('tables.', () => `${base}.`);
}
