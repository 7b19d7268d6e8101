import { minuteUs } from '@vantage/domain';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../db/index.ts';

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

/** A mail that a worker may send now. */
export interface ClaimedMail {
  readonly mail_no: number;
  readonly mail_id: string;
  readonly subscriber_no: number;
  readonly email: string;
  readonly asked_us: number;
  readonly is_confirmed: boolean;
  readonly path: string;
  readonly subject: string;
  readonly body: string;
  readonly attempts: number;
  readonly first_attempt_us: number;
}

/** Leases mails that are due. */
export async function claimMails(
  kysely: Kysely<Tables>,
  ask: { readonly nowUs: number; readonly leaseUs: number; readonly limit: number },
): Promise<readonly ClaimedMail[]> {
  const { rows } = await sql<ClaimedMail>`
    with due as (
      select mail_no from page_mails where due_us <= ${ask.nowUs}::bigint
        and (lease_until_us is null or lease_until_us < (extract(epoch from clock_timestamp()) * 1e6)::bigint)
      order by due_us limit ${ask.limit} for update skip locked
    ), leased as (
      update page_mails m set attempts = m.attempts + 1, first_attempt_us = coalesce(m.first_attempt_us, ${ask.nowUs}::bigint),
        lease_until_us = (extract(epoch from clock_timestamp()) * 1e6)::bigint + ${ask.leaseUs}::bigint
      from due where m.mail_no = due.mail_no returning m.*
    )
    select m.mail_no, m.mail_id, m.subscriber_no, s.email, s.asked_us, s.confirmed_us is not null as is_confirmed, p.path,
      m.subject, m.body, m.attempts, m.first_attempt_us
    from leased m join page_subscribers s using (subscriber_no) join pages p using (page_no)`.execute(kysely);
  return rows;
}

/** Removes a mail that was delivered or given up. */
export async function endMail(kysely: Kysely<Tables>, mailNo: number): Promise<void> {
  await kysely.deleteFrom('page_mails').where('mail_no', '=', mailNo).execute();
}

/** Gives a mail back, to be sent at `dueUs`. */
export async function delayMail(kysely: Kysely<Tables>, mailNo: number, dueUs: number): Promise<void> {
  await kysely
    .updateTable('page_mails')
    .set({ due_us: dueUs, lease_until_us: null })
    .where('mail_no', '=', mailNo)
    .execute();
}
