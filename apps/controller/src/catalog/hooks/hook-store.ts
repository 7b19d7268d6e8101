import type { Db, NewRow, Row, Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { ChangeTransaction } from '../../resources/change.ts';
import type { ResourcePage } from '../../resources/resource-routes.ts';

/** A hook as answers show it, with its tag and the state of its deliveries. */
export interface HookRow
  extends Pick<
      Row<'hooks'>,
      'hook_id' | 'name' | 'address' | 'types' | 'external_key' | 'source' | 'created_us' | 'updated_us'
    >,
    Pick<Row<'hook_progress'>, 'failing_since_us' | 'delivered_us' | 'last_answer'> {
  readonly tag_id: string | null;
  readonly tag_name: string | null;
  readonly given_up: number | null;
}

/** A page of the account's hooks by name, and how many there are. */
export async function listHooks(
  { kysely }: Pick<Db, 'kysely'>,
  accountNo: number,
  page: ResourcePage,
): Promise<{ readonly rows: readonly HookRow[]; readonly total: number }> {
  const { id, externalKey, source } = page;
  const conditions = sql.join(
    [
      sql`h.account_no = ${accountNo}::int`,
      ...(id === undefined ? [] : [sql`h.hook_id = ${id}`]),
      ...(externalKey === undefined ? [] : [sql`h.external_key = ${externalKey}`]),
      ...(source === undefined ? [] : [sql`h.source = ${source}`]),
    ],
    sql` and `,
  );
  const [found, count] = await Promise.all([
    sql<HookRow>`
      select h.hook_id, h.name, h.address, h.types, h.external_key, h.source, h.created_us, h.updated_us, t.tag_id, t.name as tag_name,
        p.failing_since_us, p.delivered_us, p.last_answer, p.given_up
      from hooks h left join tags t using (tag_no) left join hook_progress p on p.hook_no = h.hook_no
      where ${conditions} order by h.name, h.hook_no limit ${page.limit} offset ${page.offset}`.execute(
      kysely,
    ),
    sql<{ total: number }>`select count(*)::int as total from hooks h where ${conditions}`.execute(kysely),
  ]);
  return { rows: found.rows, total: count.rows[0]?.total ?? 0 };
}

/** A hook for a change. */
export type StoredHook = Omit<Row<'hooks'>, 'after_no' | 'created_us' | 'updated_us'>;

/** The account's hook with this id, for a change. The caller holds the account's lock. */
export async function findHook(
  { trx }: ChangeTransaction,
  accountNo: number,
  hookId: string,
): Promise<StoredHook | undefined> {
  return trx
    .selectFrom('hooks')
    .select(['hook_no', 'hook_id', 'account_no', 'name', 'address', 'sealed', 'types', 'tag_no'])
    .select(['external_key', 'source'])
    .where('account_no', '=', accountNo)
    .where('hook_id', '=', hookId)
    .executeTakeFirst();
}

type HookColumns = Omit<NewRow<'hooks'>, 'hook_no' | 'after_no' | 'created_us' | 'updated_us'>;

/** Inserts a hook that gets the events from now on; returns its number. */
export async function insertHook({ trx }: ChangeTransaction, hook: HookColumns): Promise<number> {
  const { hook_no } = await trx
    .insertInto('hooks')
    .values({
      ...hook,
      after_no: sql<number>`(select case when is_called then last_value else 0 end from events_event_no_seq)`,
    })
    .returning('hook_no')
    .executeTakeFirstOrThrow();
  return hook_no;
}

/** Writes the settings of a hook. */
export async function updateHook(
  { trx }: ChangeTransaction,
  hookNo: number,
  columns: Omit<HookColumns, 'hook_id' | 'account_no'>,
): Promise<void> {
  await trx
    .updateTable('hooks')
    .set({ ...columns, updated_us: sql<number>`(extract(epoch from clock_timestamp()) * 1000000)::bigint` })
    .where('hook_no', '=', hookNo)
    .execute();
}

/** Deletes a hook. */
export async function deleteHook({ trx }: ChangeTransaction, hookNo: number): Promise<void> {
  await trx.deleteFrom('hooks').where('hook_no', '=', hookNo).execute();
}

/** Names of the hooks, status pages and monthly reports that name this tag, up to eleven. */
export async function usersOfTag(kysely: Kysely<Tables>, tagNo: number): Promise<readonly string[]> {
  const { rows } = await sql<{ user: string }>`
    (select 'hook ' || name as user from hooks where tag_no = ${tagNo}::int order by name limit 11)
    union all
    (select 'status page ' || name from pages where ${tagNo}::int = any (tag_nos) order by name limit 11)
    union all
    (select 'monthly report ' || name from reports where ${tagNo}::int = any (tag_nos) order by name limit 11)
    limit 11`.execute(kysely);
  return rows.map(({ user }) => user);
}
