import { newId } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../../platform/db/index.ts';

/** The text of a mail. */
export interface NewMail {
  readonly subject: string;
  readonly body: string;
}

/** Stores a mail for each of these subscribers of status pages. */
export async function insertSubscriberMails(
  trx: Kysely<Tables>,
  mail: NewMail & { readonly subscriberNos: readonly number[]; readonly nowUs: number },
): Promise<void> {
  const ids = mail.subscriberNos.map(() => newId());
  await sql`
    insert into mails (mail_id, subscriber_no, subject, body, due_us)
    select m.id, m.no, ${mail.subject}, ${mail.body}, ${mail.nowUs}::bigint
    from unnest(${ids}::text[], ${mail.subscriberNos}::int[]) as m (id, no)
    join page_subscribers s on s.subscriber_no = m.no`.execute(trx);
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
    insert into mails (mail_id, contact_no, report_no, subject, body, html, due_us)
    select m.id, m.no, ${mail.reportNo}::int, ${mail.subject}, ${mail.body}, ${mail.html}, ${mail.nowUs}::bigint
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

/** Leases mails that are due. */
export async function claimMails(
  kysely: Kysely<Tables>,
  ask: { readonly nowUs: number; readonly leaseUs: number; readonly limit: number },
): Promise<readonly ClaimedMail[]> {
  const { rows } = await sql<ClaimedMail>`
    with due as (
      select mail_no from mails where due_us <= ${ask.nowUs}::bigint
        and (lease_until_us is null or lease_until_us < (extract(epoch from clock_timestamp()) * 1e6)::bigint)
      order by due_us limit ${ask.limit} for update skip locked
    ), leased as (
      update mails m set attempts = m.attempts + 1, first_attempt_us = coalesce(m.first_attempt_us, ${ask.nowUs}::bigint),
        lease_until_us = (extract(epoch from clock_timestamp()) * 1e6)::bigint + ${ask.leaseUs}::bigint
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
