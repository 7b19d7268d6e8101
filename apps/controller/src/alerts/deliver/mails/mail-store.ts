import { declareShare, newId } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../../platform/db/index.ts';
import { type Due, fits, inTurns, slowIn, type Taken } from '../sending/places.ts';

declareShare({
  name: 'mails_that_are_due',
  limit: '32 at one time; 24 to a slow server',
  filledBy: 'accounts, readers of status pages',
  share: '16 an account, 8 a page or report; accounts take turns, then pages and reports',
});

/** The text of a mail. */
export interface NewMail {
  readonly subject: string;
  readonly body: string;
}

/**
 * Stores a mail for each of these subscribers of status pages. Mails that ask for a confirmation have turns of their
 * own, so that they do not wait for the news of the page.
 */
export async function insertSubscriberMails(
  trx: Kysely<Tables>,
  mail: NewMail & { readonly subscriberNos: readonly number[]; readonly nowUs: number },
): Promise<void> {
  const ids = mail.subscriberNos.map(() => newId());
  await sql`
    insert into mails (mail_id, subscriber_no, subject, body, due_us, account_no, sender)
    select m.id, m.no, ${mail.subject}, ${mail.body}, ${mail.nowUs}::bigint, p.account_no,
      case when s.confirmed_us is null then 'confirm ' else 'page ' end || p.page_no
    from unnest(${ids}::text[], ${mail.subscriberNos}::int[]) as m (id, no)
    join page_subscribers s on s.subscriber_no = m.no join pages p using (page_no)`.execute(trx);
}

/** Stores a mail of a monthly report for each of these contacts that is still there. */
export async function insertReportMails(
  trx: Kysely<Tables>,
  mail: NewMail & {
    readonly html: string;
    readonly reportNo: number;
    readonly contactNos: readonly number[];
    readonly nowUs: number;
  },
): Promise<void> {
  const ids = mail.contactNos.map(() => newId());
  await sql`
    insert into mails (mail_id, contact_no, report_no, subject, body, html, due_us, account_no, sender)
    select m.id, m.no, ${mail.reportNo}::int, ${mail.subject}, ${mail.body}, ${mail.html}, ${mail.nowUs}::bigint,
      c.account_no, ${`report ${mail.reportNo}`}
    from unnest(${ids}::text[], ${mail.contactNos}::int[]) as m (id, no)
    join contacts c on c.contact_no = m.no`.execute(trx);
}

/**
 * Stores a mail to this address, unless one with the same subject waits for it: nobody fills a mailbox faster than
 * mails leave.
 */
export async function insertAddressMail(
  trx: Kysely<Tables>,
  mail: NewMail & { readonly address: string; readonly nowUs: number },
): Promise<void> {
  await sql`
    insert into mails (mail_id, address, subject, body, due_us)
    select ${newId()}, ${mail.address}, ${mail.subject}, ${mail.body}, ${mail.nowUs}::bigint
    where not exists (select from mails where address = ${mail.address} and subject = ${mail.subject})`.execute(
    trx,
  );
}

/** A mail that a worker may send now: to a subscriber of the page at `path`, to a person, or a report to a contact. */
export type ClaimedMail = {
  readonly mail_no: number;
  readonly mail_id: string;
  readonly email: string;
  readonly subject: string;
  readonly body: string;
  readonly attempts: number;
  readonly first_attempt_us: number;
} & (
  | {
      readonly report_no: null;
      readonly subscriber_no: number;
      readonly asked_us: number;
      readonly is_confirmed: boolean;
      readonly path: string;
    }
  | { readonly report_no: null; readonly subscriber_no: null }
  | { readonly report_no: number; readonly html: string }
);

/** Mails of one page or report that are due. */
export interface DueMails extends Due {
  readonly sender: string;
}

/** The database's clock, so that controllers with different clocks agree which leases have ended. */
const dbNowUs = sql<number>`(extract(epoch from clock_timestamp()) * 1e6)::bigint`;

/** The row `m` of mails is due and not leased. */
const isOpen = (nowUs: number) =>
  sql<boolean>`m.due_us <= ${nowUs}::bigint and (m.lease_until_us is null or m.lease_until_us < ${dbNowUs})`;

/**
 * Pages and reports with mails that are due and not leased, in turns by account. The statement goes from one to the
 * next by the index, so that it costs the same however many mails wait for one of them.
 */
export async function dueMails(
  kysely: Kysely<Tables>,
  { nowUs, taken, limit }: { readonly nowUs: number; readonly taken: Taken; readonly limit: number },
): Promise<readonly DueMails[]> {
  const columns = {
    accountNo: sql.ref('due.account_no'),
    receiver: sql.ref('due.receiver'),
    dueUs: sql.ref('due.due_us'),
    host: sql`''::text`,
    isFailing: sql`false`,
  };
  const { rows } = await sql<DueMails>`
    with recursive waiting as (
      (select account_no, sender from mails order by account_no, sender limit 1)
      union all
      select n.account_no, n.sender from waiting w cross join lateral (
        select m.account_no, m.sender from mails m where (m.account_no, m.sender) > (w.account_no, w.sender)
        order by m.account_no, m.sender limit 1) n),
    due as (
      select w.account_no, w.sender, w.account_no || ' ' || w.sender as receiver, f.due_us
      from waiting w cross join lateral (
        select m.due_us from mails m
        where m.account_no = w.account_no and m.sender = w.sender and ${isOpen(nowUs)} order by m.due_us limit 1) f)
    select account_no as "accountNo", sender, receiver, '' as host, false as "isFailing",
      ${slowIn(taken, columns)} as "isSlow"
    from due where ${fits(taken, columns)} order by ${inTurns(columns)} limit ${limit}`.execute(kysely);
  return rows;
}

/** Leases mails of a page or report that are due. */
export async function claimMails(
  kysely: Kysely<Tables>,
  ask: {
    readonly accountNo: number;
    readonly sender: string;
    readonly nowUs: number;
    readonly leaseUs: number;
    readonly limit: number;
  },
): Promise<readonly ClaimedMail[]> {
  const { rows } = await sql<ClaimedMail>`
    with due as (
      select m.mail_no from mails m
      where m.account_no = ${ask.accountNo}::int and m.sender = ${ask.sender} and ${isOpen(ask.nowUs)}
      order by m.due_us limit ${ask.limit} for update skip locked
    ), leased as (
      update mails m set attempts = m.attempts + 1, first_attempt_us = coalesce(m.first_attempt_us, ${ask.nowUs}::bigint),
        lease_until_us = ${dbNowUs} + ${ask.leaseUs}::bigint
      from due where m.mail_no = due.mail_no returning m.*
    )
    select m.mail_no, m.mail_id, m.report_no, m.subscriber_no, coalesce(m.address, s.email, c.address) as email, s.asked_us,
      s.confirmed_us is not null as is_confirmed, p.path, m.subject, m.body, m.html, m.attempts, m.first_attempt_us
    from leased m left join page_subscribers s using (subscriber_no) left join pages p using (page_no)
      left join contacts c on c.contact_no = m.contact_no`.execute(kysely);
  return rows;
}

/** Removes a mail that was delivered or given up. `answer` is kept with the report that it belongs to. */
export async function endMail(
  kysely: Kysely<Tables>,
  { mail_no, report_no, email }: Pick<ClaimedMail, 'mail_no' | 'report_no' | 'email'>,
  answer: string,
): Promise<void> {
  await sql`
    with ended as (delete from mails where mail_no = ${mail_no} returning report_no)
    update report_progress set answer = ${`${email}: ${answer}`}
    where report_no = (select report_no from ended) and report_no = ${report_no}::int`.execute(kysely);
}

/** Gives a mail back, to be sent at `dueUs`. */
export async function delayMail(kysely: Kysely<Tables>, mailNo: number, dueUs: number): Promise<void> {
  await kysely
    .updateTable('mails')
    .set({ due_us: dueUs, lease_until_us: null })
    .where('mail_no', '=', mailNo)
    .execute();
}
