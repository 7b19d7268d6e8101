import { declareShare } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { readDueReceivers, type TakenSlots } from '../sending/due-receivers.ts';
import { isUnleased, leaseEndUs } from '../sending/leases.ts';
import type { Due } from '../sending/slots.ts';

declareShare({
  name: 'mails_that_are_due',
  limit: '32 at one time; 24 to a slow server',
  filledBy: 'accounts, readers of status pages',
  share: '16 an account; 8 a page, a report or the people of an account; accounts take turns, then these',
});

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

/** The row `m` of mails is due and not leased. */
const isOpen = (nowUs: number) => sql<boolean>`m.due_us <= ${nowUs}::bigint and ${isUnleased('m')}`;

/**
 * Pages and reports with mails that are due and not leased, in turns by account. The statement goes from one to the
 * next by the index, so that it costs the same however many mails wait for one of them.
 */
export async function dueMails(
  kysely: Kysely<Tables>,
  { nowUs, taken, limit }: { readonly nowUs: number; readonly taken: TakenSlots; readonly limit: number },
): Promise<readonly DueMails[]> {
  const tables = sql`waiting as (
      (select account_no, sender from mails order by account_no, sender limit 1)
      union all
      select n.account_no, n.sender from waiting w cross join lateral (
        select m.account_no, m.sender from mails m where (m.account_no, m.sender) > (w.account_no, w.sender)
        order by m.account_no, m.sender limit 1) n),
    due as (
      select w.account_no, w.sender, w.account_no || ' ' || w.sender as receiver, ''::text as host, false as failing, f.due_us
      from waiting w cross join lateral (
        select m.due_us from mails m
        where m.account_no = w.account_no and m.sender = w.sender and ${isOpen(nowUs)} order by m.due_us limit 1) f)`;
  return readDueReceivers(kysely, { tables, keys: sql`sender`, taken, limit });
}

/** Leases mails of a page or report that are due. */
export async function claimMails(
  kysely: Kysely<Tables>,
  ask: {
    readonly accountNo: number;
    readonly sender: string;
    readonly nowUs: number;
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
        lease_until_us = ${leaseEndUs}
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
