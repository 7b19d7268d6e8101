import { minuteUs } from '@vantage/domain';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../../platform/db/index.ts';

/** A status page whose subscribers may get news. */
export interface NewsPage {
  readonly page_no: number;
  readonly account_no: number;
  readonly name: string;
  readonly path: string;
  readonly tag_nos: number[] | null;
  readonly timezone: string;
  readonly notes: unknown;
  /** null: nobody was told anything yet. */
  readonly after_no: number | null;
  readonly notes_us: number[] | null;
}

/** Subscribers of a page get at most one mail in this time. */
export const newsPauseUs = 5 * minuteUs;

/** The accounts whose pages have subscribers. */
export async function accountsWithSubscribers(kysely: Kysely<Tables>): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ account_no: number }>`
    select distinct p.account_no from pages p join page_subscribers s using (page_no)
    where s.confirmed_us is not null`.execute(kysely);
  return new Set(rows.map(({ account_no }) => account_no));
}

/** The pages of these accounts that have subscribers and may have news, those that waited longest first. */
export async function duePages(
  kysely: Kysely<Tables>,
  { accountNos, nowUs }: { readonly accountNos: readonly number[]; readonly nowUs: number },
): Promise<readonly number[]> {
  const { rows } = await sql<{ page_no: number }>`
    select p.page_no from pages p left join page_news n using (page_no)
    where p.account_no = any(${accountNos}::int[]) and coalesce(n.due_us, 0) <= ${nowUs}::bigint
      and exists (select from page_subscribers s where s.page_no = p.page_no and s.confirmed_us is not null)
    order by n.due_us nulls first limit 100`.execute(kysely);
  return rows.map(({ page_no }) => page_no);
}

/** Locks a page's news for the transaction; undefined: another worker has them, or the page is gone. */
export async function lockNews(trx: Kysely<Tables>, pageNo: number): Promise<NewsPage | undefined> {
  const { rows } = await sql<NewsPage>`
    select p.page_no, p.account_no, p.name, p.path, p.tag_nos, p.notes, a.timezone, n.after_no, n.notes_us
    from pages p join accounts a using (account_no) left join page_news n using (page_no)
    where p.page_no = ${pageNo} and pg_try_advisory_xact_lock(hashtextextended('news of a page', p.page_no))`.execute(
    trx,
  );
  return rows[0];
}

/** Records what the subscribers of a page were told. */
export async function storeNews(
  trx: Kysely<Tables>,
  news: {
    readonly pageNo: number;
    readonly afterNo: number;
    readonly notesUs: readonly number[];
    readonly dueUs: number;
  },
): Promise<void> {
  await sql`
    insert into page_news (page_no, after_no, notes_us, due_us)
    values (${news.pageNo}, ${news.afterNo}, ${news.notesUs}::bigint[], ${news.dueUs})
    on conflict (page_no) do update set after_no = excluded.after_no, notes_us = excluded.notes_us,
      due_us = excluded.due_us`.execute(trx);
}

/** The numbers of the confirmed subscribers of a page. */
export async function subscribersOf(
  trx: Kysely<Tables>,
  { pageNo, untilUs }: { readonly pageNo: number; readonly untilUs: number },
): Promise<readonly number[]> {
  const rows = await trx
    .selectFrom('page_subscribers')
    .select('subscriber_no')
    .where('page_no', '=', pageNo)
    .where('confirmed_us', '<=', untilUs)
    .execute();
  return rows.map(({ subscriber_no }) => subscriber_no);
}
