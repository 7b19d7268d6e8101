import { dayUs, hourUs, minuteUs } from '@vantage/domain';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { insertSubscriberMails, type NewMail } from '../mails/insert-mails.ts';

/** The maximum of subscribers of a page, including those who have not confirmed yet. */
const maxSubscribers = 10_000;
/** An address that did not confirm can get another request after this time. */
const requestAgainUs = hourUs;

/**
 * Stores an unconfirmed subscription and the mail of `compose` that requests its confirmation. Does nothing where the
 * address is confirmed already, got such a mail within the hour, or the page has too many subscribers.
 */
export async function requestConfirmation(
  kysely: Kysely<Tables>,
  { pageNo, email, nowUs }: { readonly pageNo: number; readonly email: string; readonly nowUs: number },
  compose: (subscriberNo: number) => NewMail,
): Promise<void> {
  await kysely.transaction().execute(async (trx) => {
    await sql`delete from page_subscribers where page_no = ${pageNo} and confirmed_us is null
      and asked_us < ${nowUs - dayUs}::bigint`.execute(trx);
    const { rows } = await sql<{ subscriber_no: number }>`
      insert into page_subscribers (page_no, email, asked_us)
      select ${pageNo}::int, ${email}, ${nowUs}::bigint
      where (select count(*) from page_subscribers where page_no = ${pageNo}) < ${maxSubscribers}::int
      on conflict (page_no, email) do update set asked_us = excluded.asked_us
        where page_subscribers.confirmed_us is null
          and page_subscribers.asked_us not between ${nowUs - requestAgainUs}::bigint and ${nowUs + minuteUs}::bigint
      returning subscriber_no`.execute(trx);
    const [added] = rows;
    if (added !== undefined)
      await insertSubscriberMails(trx, {
        ...compose(added.subscriber_no),
        subscriberNos: [added.subscriber_no],
        nowUs,
      });
  });
}

/** The subscription that a link names. */
interface Subscription {
  readonly page_no: number;
  readonly email: string;
  readonly confirmed_us: number | null;
}

/** The subscription of a link to this page; undefined: it has ended, or the address subscribed again later. */
export async function findSubscription(
  kysely: Kysely<Tables>,
  { no, askedUs, pageNo }: { readonly no: number; readonly askedUs: number; readonly pageNo: number },
): Promise<Subscription | undefined> {
  return kysely
    .selectFrom('page_subscribers')
    .select(['page_no', 'email', 'confirmed_us'])
    .where('subscriber_no', '=', no)
    .where('asked_us', '=', askedUs)
    .where('page_no', '=', pageNo)
    .executeTakeFirst();
}

export async function confirmSubscriber(kysely: Kysely<Tables>, no: number, nowUs: number): Promise<void> {
  await kysely
    .updateTable('page_subscribers')
    .set({ confirmed_us: nowUs })
    .where('subscriber_no', '=', no)
    .where('confirmed_us', 'is', null)
    .execute();
}

/** Ends a subscription; mails that wait are not sent. */
export async function endSubscriber(kysely: Kysely<Tables>, no: number): Promise<void> {
  await kysely.deleteFrom('page_subscribers').where('subscriber_no', '=', no).execute();
}
