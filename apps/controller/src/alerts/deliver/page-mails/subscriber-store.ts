import { dayUs, hourUs } from '@vantage/domain';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../../platform/db/index.ts';
import { insertSubscriberMails, type NewMail } from '../mails/mail-store.ts';

/** A page has at most so many subscribers, those who have not confirmed yet included. */
const mostSubscribers = 10_000;
/** Who did not confirm may be asked again after this time. */
const askAgainUs = hourUs;

/**
 * Notes that somebody asked for the mails of a page, and stores the mail that `compose` makes of the subscription, to
 * confirm it. Nothing happens where the address is confirmed already, was asked within the hour, or the page has too
 * many.
 */
export async function askSubscriber(
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
      where (select count(*) from page_subscribers where page_no = ${pageNo}) < ${mostSubscribers}::int
      on conflict (page_no, email) do update set asked_us = excluded.asked_us
        where page_subscribers.confirmed_us is null
          and page_subscribers.asked_us < ${nowUs - askAgainUs}::bigint
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

/** A subscription, as long as it is the one of a link. */
interface Subscription {
  readonly page_no: number;
  readonly email: string;
  readonly confirmed_us: number | null;
}

/** The subscription of a link to this page; undefined: it has ended, or is a later one. */
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

/** Confirms a subscription. */
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
