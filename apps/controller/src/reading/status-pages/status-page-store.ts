import type { NewRow, Reader, Row } from '@vantage/storage';
import { sql } from 'kysely';
import type { ChangeTransaction } from '../../resources/change.ts';
import type { ResourcePage } from '../../resources/resource-routes.ts';

/** A status page as answers show it. */
export interface PageRow extends Omit<Row<'pages'>, 'account_no' | 'tag_nos' | 'password_hash'> {
  /** The tags that are still there, by name; null: all devices. */
  readonly tags: { readonly tag_id: string; readonly Name: string }[] | null;
}

/** The accent colour of a row; null: none. Pure. */
export function accentOf({
  accent_light: Light,
  accent_dark: Dark,
}: Pick<Row<'pages'>, 'accent_light' | 'accent_dark'>): {
  readonly Light: string;
  readonly Dark: string;
} | null {
  return Light === null || Dark === null ? null : { Light, Dark };
}

/** A page of the account's status pages by name, and how many there are. */
export async function listPages(
  { kysely }: Reader,
  accountNo: number,
  page: ResourcePage,
): Promise<{ readonly rows: readonly PageRow[]; readonly total: number }> {
  const { id, externalKey, source } = page;
  const conditions = sql.join(
    [
      sql`p.account_no = ${accountNo}::int`,
      ...(id === undefined ? [] : [sql`p.page_id = ${id}`]),
      ...(externalKey === undefined ? [] : [sql`p.external_key = ${externalKey}`]),
      ...(source === undefined ? [] : [sql`p.source = ${source}`]),
    ],
    sql` and `,
  );
  const [found, count] = await Promise.all([
    sql<PageRow>`
      select p.page_no, p.page_id, p.name, p.path, p.access, p.shows, p.notes, p.logo, p.accent_light, p.accent_dark, p.footer,
        p.external_key, p.source, p.created_us, p.updated_us,
        case when p.tag_nos is not null then coalesce((
          select jsonb_agg(jsonb_build_object('tag_id', t.tag_id, 'Name', t.name) order by t.name)
          from tags t where t.tag_no = any (p.tag_nos)), '[]'::jsonb) end as tags
      from pages p where ${conditions} order by p.name, p.page_no limit ${page.limit} offset ${page.offset}`.execute(
      kysely,
    ),
    sql<{ total: number }>`select count(*)::int as total from pages p where ${conditions}`.execute(kysely),
  ]);
  return { rows: found.rows, total: count.rows[0]?.total ?? 0 };
}

/** A status page for a change. */
export type StoredPage = Omit<Row<'pages'>, 'created_us' | 'updated_us'>;

/** The account's status page with this id, for a change. The caller holds the account's lock. */
export async function findPage(
  { trx }: ChangeTransaction,
  accountNo: number,
  pageId: string,
): Promise<StoredPage | undefined> {
  return trx
    .selectFrom('pages')
    .selectAll()
    .where('account_no', '=', accountNo)
    .where('page_id', '=', pageId)
    .executeTakeFirst();
}

/** Whether a page of any account but this one has the path. A change of it waits for others with the same path. */
export async function isPathTaken(
  { trx }: ChangeTransaction,
  path: string,
  pageNo: number | undefined,
): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtextextended('path of a page ' || ${path}, 0))`.execute(trx);
  const row = await trx.selectFrom('pages').select('page_no').where('path', '=', path).executeTakeFirst();
  return row !== undefined && row.page_no !== pageNo;
}

/** The columns that the owner of a page sets. */
export type PageColumns = Omit<
  NewRow<'pages'>,
  'page_no' | 'page_id' | 'account_no' | 'created_us' | 'updated_us'
>;

/** Inserts a status page; returns its number. */
export async function insertPage(
  { trx }: ChangeTransaction,
  page: PageColumns & { readonly page_id: string; readonly account_no: number },
): Promise<number> {
  const { page_no } = await trx
    .insertInto('pages')
    .values(page)
    .returning('page_no')
    .executeTakeFirstOrThrow();
  return page_no;
}

/** Writes the settings of a status page. */
export async function updatePage(
  { trx }: ChangeTransaction,
  pageNo: number,
  columns: PageColumns,
): Promise<void> {
  const updated_us = sql<number>`(extract(epoch from clock_timestamp()) * 1000000)::bigint`;
  await trx
    .updateTable('pages')
    .set({ ...columns, updated_us })
    .where('page_no', '=', pageNo)
    .execute();
}

/** Deletes a status page. */
export async function deletePage({ trx }: ChangeTransaction, pageNo: number): Promise<void> {
  await trx.deleteFrom('pages').where('page_no', '=', pageNo).execute();
}
