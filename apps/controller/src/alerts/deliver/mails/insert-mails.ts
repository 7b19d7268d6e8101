import { newId } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** The text of a mail. */
export interface NewMail {
  readonly subject: string;
  readonly body: string;
}

/**
 * Stores a mail for each of these subscribers of status pages. Requests to confirm have turns of their own, so
 * that they do not wait for the news of the page.
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

/** Stores a mail of a monthly report for each of these contacts that still exists. */
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
 * Stores a mail of an account to this address, unless the account already has one with the same subject waiting, so
 * that repeated requests do not fill a mailbox. With `replaces`, the new mail takes the place of the waiting one.
 */
export async function insertAddressMail(
  trx: Kysely<Tables>,
  mail: NewMail & {
    readonly accountNo: number;
    readonly address: string;
    readonly nowUs: number;
    readonly replaces?: true;
  },
): Promise<void> {
  const isWaiting = sql`account_no = ${mail.accountNo}::int and address = ${mail.address} and subject = ${mail.subject}`;
  if (mail.replaces === true) await sql`delete from mails where ${isWaiting}`.execute(trx);
  await sql`
    insert into mails (mail_id, address, subject, body, due_us, account_no, sender)
    select ${newId()}, ${mail.address}, ${mail.subject}, ${mail.body}, ${mail.nowUs}::bigint, ${mail.accountNo}::int,
      'people'
    where not exists (select from mails where ${isWaiting})`.execute(trx);
}
