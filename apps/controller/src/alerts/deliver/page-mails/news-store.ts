import { minuteUs } from '@vantage/domain';
import { declareShare } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { inTurns } from '../sending/due-receivers.ts';

declareShare({
  name: 'status_pages_with_news',
  limit: '100 in a round',
  filledBy: 'accounts, readers of status pages',
  share: 'accounts take turns; a page that was tried is passed over',
});

/** A status page whose subscribers may get news. */
interface NewsPage {
  readonly page_no: number;
  readonly account_no: number;
  readonly name: string;
  readonly path: string;
  readonly tag_nos: number[] | null;
  readonly timezone: string;
  readonly notes: unknown;
  /** null: no news were sent yet. */
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

/** Pages that may have news: of these accounts, up to this number of events. */
interface NewsAsk {
  readonly accountNos: readonly number[];
  readonly upToNo: number;
}

/** A position that is further behind is moved on, so that the next round does not read all of these numbers. */
const farNos = 5_000;

/** Moves the positions of pages on in accounts where nothing happened: all accounts except these. */
export async function passQuiet(kysely: Kysely<Tables>, { accountNos, upToNo }: NewsAsk): Promise<void> {
  await sql`
    update page_news set after_no = ${upToNo}::bigint where page_no = any(array(
      select n.page_no from page_news n join pages p using (page_no)
      where n.after_no < ${upToNo - farNos}::bigint and p.account_no <> all(${accountNos}::int[])
      for update of n skip locked))`.execute(kysely);
}

/**
 * Pages with subscribers that may have news: pages of the accounts `accountNos` that have not sent all news up to
 * `upToNo`, pages whose notes changed, and new ones. They come in turns by account, at most `limit` and without
 * `except`, so that a page that stays due hides no other page.
 */
export async function duePages(
  kysely: Kysely<Tables>,
  ask: NewsAsk & { readonly nowUs: number; readonly except: readonly number[]; readonly limit: number },
): Promise<readonly number[]> {
  const sentNotes = sql`to_jsonb(n.notes_us)`;
  const notes = sql`jsonb_path_query_array(p.notes, '$[*].AtUs')`;
  const columns = {
    accountNo: sql.ref('p.account_no'),
    dueUs: sql`coalesce(n.due_us, 0)`,
    receiver: sql.ref('p.page_no'),
  };
  const { rows } = await sql<{ page_no: number }>`
    select p.page_no from pages p left join page_news n using (page_no)
    where coalesce(n.due_us, 0) <= ${ask.nowUs}::bigint and p.page_no <> all(${ask.except}::int[])
      and (n.page_no is null
        or (n.after_no < ${ask.upToNo}::bigint and p.account_no = any(${ask.accountNos}::int[]))
        or not (${notes} <@ ${sentNotes} and ${notes} @> ${sentNotes}))
      and exists (select from page_subscribers s where s.page_no = p.page_no and s.confirmed_us is not null)
    order by ${inTurns(columns)} limit ${ask.limit}`.execute(kysely);
  return rows.map(({ page_no }) => page_no);
}

/** The accounts among these with a page whose subscribers have not got all news up to `upToNo`. */
export async function accountsWithUnsentNews(
  kysely: Kysely<Tables>,
  { accountNos, upToNo }: NewsAsk,
): Promise<readonly number[]> {
  const { rows } = await sql<{ account_no: number }>`
    select distinct p.account_no from pages p left join page_news n using (page_no)
    where p.account_no = any(${accountNos}::int[]) and coalesce(n.after_no, 0) < ${upToNo}::bigint
      and exists (select from page_subscribers s where s.page_no = p.page_no and s.confirmed_us is not null)`.execute(
    kysely,
  );
  return rows.map(({ account_no }) => account_no);
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

/** Stores the position of a page in its news. */
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
