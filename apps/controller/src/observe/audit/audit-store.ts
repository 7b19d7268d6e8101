import type { TimeSpan } from '@vantage/rest-kit/time-span';
import { isOneOf, type NewRow, type Reader, type Row, type Tables } from '@vantage/storage';
import { type Kysely, type RawBuilder, sql } from 'kysely';

/** A row of the audit as a list shows it. */
export type AuditRow = Pick<
  Row<'audit'>,
  'audit_id' | 'at_us' | 'actor' | 'address' | 'action' | 'kind' | 'id' | 'changes'
>;

/** The filters and the page of a list of entries. */
interface AuditPage {
  readonly kinds: readonly string[] | undefined;
  readonly id: string | undefined;
  readonly actor: string | undefined;
  readonly actions: readonly AuditRow['action'][] | undefined;
  readonly span: TimeSpan;
  /** Entries older than the one with this number only. */
  readonly beforeNo: number | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Inserts entries in their order. */
export async function insertEntries(
  trx: Kysely<Tables>,
  entries: readonly (Omit<NewRow<'audit'>, 'actor'> & { readonly actor: RawBuilder<string> })[],
): Promise<void> {
  await trx
    .insertInto('audit')
    .values([...entries])
    .execute();
}

/** The name of a key, or its id where it has none. */
export function nameOfKey(keyNo: number): RawBuilder<string> {
  return sql`(select coalesce(nullif(name, ''), key_id) from api_keys where key_no = ${keyNo})`;
}

/** The account's entries, newest first, one more than `limit` to know whether there are more. */
export async function listEntries(
  { kysely }: Reader,
  accountNo: number,
  { kinds, id, actor, actions, span: { fromUs, untilUs }, beforeNo, limit, offset }: AuditPage,
): Promise<readonly AuditRow[]> {
  const conditions = [
    sql`account_no = ${accountNo}`,
    ...(kinds === undefined ? [] : [isOneOf(sql`kind`, kinds, 'text')]),
    ...(id === undefined ? [] : [sql`id = ${id}`]),
    ...(actor === undefined ? [] : [sql`actor = ${actor}`]),
    ...(actions === undefined ? [] : [isOneOf(sql`action`, actions, 'text')]),
    ...(fromUs === undefined ? [] : [sql`at_us >= ${fromUs}::bigint`]),
    ...(untilUs === undefined ? [] : [sql`at_us < ${untilUs}::bigint`]),
    ...(beforeNo === undefined ? [] : [sql`audit_no < ${beforeNo}::bigint`]),
  ];
  const { rows } = await sql<AuditRow>`
    select audit_id, at_us, actor, address, action, kind, id, changes from audit
    where ${sql.join(conditions, sql` and `)} order by audit_no desc limit ${limit + 1} offset ${offset}`.execute(
    kysely,
  );
  return rows;
}

/** The account's entries after the one with this number, in the order of their numbers. */
export async function listEntriesAfter(
  { kysely }: Reader,
  accountNo: number,
  { afterNo, limit }: { readonly afterNo: number; readonly limit: number },
): Promise<readonly (AuditRow & { readonly audit_no: number })[]> {
  return kysely
    .selectFrom('audit')
    .select(['audit_no', 'audit_id', 'at_us', 'actor', 'address', 'action', 'kind', 'id', 'changes'])
    .where('account_no', '=', accountNo)
    .where('audit_no', '>', afterNo)
    .orderBy('audit_no')
    .limit(limit)
    .execute();
}

/** The number of the account's entry with this id. */
export async function findEntryNo(
  { kysely }: Reader,
  accountNo: number,
  auditId: string,
): Promise<number | undefined> {
  const row = await kysely
    .selectFrom('audit')
    .select('audit_no')
    .where('audit_id', '=', auditId)
    .where('account_no', '=', accountNo)
    .executeTakeFirst();
  return row?.audit_no;
}
