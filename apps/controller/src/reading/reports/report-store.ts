import type { NewRow, Reader, Row, Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { ChangeTransaction } from '../../resources/change.ts';
import type { ResourcePage } from '../../resources/resource-routes.ts';

/** A monthly report as answers show it. */
export interface ReportRow extends Omit<Row<'reports'>, 'account_no' | 'tag_nos' | 'contact_nos'> {
  /** The tags that are still there, by name; null: all devices. */
  readonly tags: { readonly tag_id: string; readonly Name: string }[] | null;
  readonly contact_ids: readonly string[];
  /** The last month of which mails were made: `2026-10`. */
  readonly month: string | null;
  readonly answer: string | null;
}

/** A page of the account's monthly reports by name, and how many there are. */
export async function listReports(
  { kysely }: Reader,
  accountNo: number,
  page: ResourcePage,
): Promise<{ readonly rows: readonly ReportRow[]; readonly total: number }> {
  const { id, externalKey, source } = page;
  const conditions = sql.join(
    [
      sql`r.account_no = ${accountNo}::int`,
      ...(id === undefined ? [] : [sql`r.report_id = ${id}`]),
      ...(externalKey === undefined ? [] : [sql`r.external_key = ${externalKey}`]),
      ...(source === undefined ? [] : [sql`r.source = ${source}`]),
    ],
    sql` and `,
  );
  const [found, count] = await Promise.all([
    sql<ReportRow>`
      select r.report_no, r.report_id, r.name, r.objective, r.external_key, r.source, r.created_us, r.updated_us,
        p.month, p.answer,
        case when r.tag_nos is not null then coalesce((
          select jsonb_agg(jsonb_build_object('tag_id', t.tag_id, 'Name', t.name) order by t.name)
          from tags t where t.tag_no = any (r.tag_nos)), '[]'::jsonb) end as tags,
        coalesce((select array_agg(c.contact_id order by c.contact_no)
          from contacts c where c.contact_no = any (r.contact_nos)), '{}') as contact_ids
      from reports r left join report_progress p using (report_no)
      where ${conditions} order by r.name, r.report_no limit ${page.limit} offset ${page.offset}`.execute(
      kysely,
    ),
    sql<{ total: number }>`select count(*)::int as total from reports r where ${conditions}`.execute(kysely),
  ]);
  return { rows: found.rows, total: count.rows[0]?.total ?? 0 };
}

/** A monthly report for a change. */
export type StoredReport = Omit<Row<'reports'>, 'created_us' | 'updated_us'>;

/** The account's report with this id, for a change. The caller holds the account's lock. */
export async function findReport(
  { trx }: ChangeTransaction,
  accountNo: number,
  reportId: string,
): Promise<StoredReport | undefined> {
  return trx
    .selectFrom('reports')
    .select(['report_no', 'report_id', 'account_no', 'name', 'tag_nos', 'contact_nos', 'objective'])
    .select(['external_key', 'source'])
    .where('account_no', '=', accountNo)
    .where('report_id', '=', reportId)
    .executeTakeFirst();
}

/** A contact that a report may name. */
interface NamedContact {
  readonly contact_no: number;
  readonly contact_id: string;
  readonly type: string;
}

/** The account's contacts with these ids. */
export async function contactsWithIds(
  trx: Kysely<Tables>,
  accountNo: number,
  ids: readonly string[],
): Promise<readonly NamedContact[]> {
  const { rows } = await sql<NamedContact>`
    select contact_no, contact_id, type from contacts
    where account_no = ${accountNo} and contact_id = any (${ids}::text[])`.execute(trx);
  return rows;
}

/** The ids of these contacts, for the audit. */
export async function idsOfContacts(
  trx: Kysely<Tables>,
  contactNos: readonly number[],
): Promise<readonly string[]> {
  const { rows } = await sql<{ contact_id: string }>`
    select contact_id from contacts where contact_no = any (${contactNos}::int[]) order by contact_no`.execute(
    trx,
  );
  return rows.map(({ contact_id }) => contact_id);
}

/** The columns that the owner of a report sets. */
export type ReportColumns = Omit<
  NewRow<'reports'>,
  'report_no' | 'report_id' | 'account_no' | 'created_us' | 'updated_us'
>;

const now = sql<number>`(extract(epoch from clock_timestamp()) * 1000000)::bigint`;
/** As the columns of all tables have it that say when a row was made or changed. */
const transactionBegan = sql<number>`(extract(epoch from now()) * 1000000)::bigint`;

/** Inserts a report, of which the month that runs is the first; returns its number. */
export async function insertReport(
  { trx }: ChangeTransaction,
  report: ReportColumns & { readonly report_id: string; readonly account_no: number },
): Promise<number> {
  const { report_no } = await trx
    .insertInto('reports')
    .values({ ...report, created_us: transactionBegan })
    .returning('report_no')
    .executeTakeFirstOrThrow();
  return report_no;
}

/** Writes the settings of a report. */
export async function updateReport(
  { trx }: ChangeTransaction,
  reportNo: number,
  columns: ReportColumns,
): Promise<void> {
  await trx
    .updateTable('reports')
    .set({ ...columns, updated_us: now })
    .where('report_no', '=', reportNo)
    .execute();
}

/** Deletes a report; mails that wait are not sent. */
export async function deleteReport({ trx }: ChangeTransaction, reportNo: number): Promise<void> {
  await trx.deleteFrom('reports').where('report_no', '=', reportNo).execute();
}
