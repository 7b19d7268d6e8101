import { createHmac, timingSafeEqual } from 'node:crypto';
import { strangersEmailFault } from '@vantage/alerts';
import { dayUs, hourUs } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { Db, Tables } from '../../../platform/db/index.ts';
import { plain } from '../channels/fact-text.ts';
import { insertSubscriberMails, type NewMail } from '../mails/mail-store.ts';

/** The page that somebody subscribes to. */
interface SubscribedPage {
  readonly pageNo: number;
  readonly name: string;
  /** Its web address. */
  readonly address: string;
}

/** Subscriptions of status pages by e-mail. */
export interface Subscriptions {
  /** Sends a mail to confirm. Resolves with the fault of an address that is none; it never says whose it is. */
  ask(page: SubscribedPage, email: string): Promise<string | undefined>;
  /** The address of the subscription that a link is about; undefined: the link is not valid (any more). */
  find(page: SubscribedPage, action: SubscriptionAction, token: string): Promise<string | undefined>;
  /** Confirms or ends the subscription of a link. */
  act(page: SubscribedPage, action: SubscriptionAction, token: string): Promise<void>;
}

/** Creates them. `links` signs what stands in their mails. */
export function createSubscriptions({
  db,
  clock,
  links,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly links: SubscriptionLinks;
}): Subscriptions {
  const { kysely } = db;
  const read = async ({ pageNo }: SubscribedPage, action: SubscriptionAction, token: string) => {
    const link = links.read(action, token);
    const found = link && (await findSubscription(kysely, { ...link, pageNo }));
    return found && { no: link.no, email: found.email };
  };
  return {
    async ask({ pageNo, name, address }, text) {
      const email = text.trim().toLowerCase();
      const fault = strangersEmailFault(email);
      if (fault !== null) return fault;
      const nowUs = clock.nowUs();
      await askSubscriber(kysely, { pageNo, email, nowUs }, (subscriberNo) => ({
        subject: `Confirm your subscription: ${plain(name)}`,
        body: [
          `Somebody, most likely you, wants to get the news of this status page by e-mail: ${plain(name)}`,
          `To confirm, open this address within a day:\n${address}/confirm/${links.sign('confirm', subscriberNo, nowUs)}`,
          'If it was not you, do nothing: no further mail will come.',
        ].join('\n\n'),
      }));
      return undefined;
    },
    find: async (page, action, token) => (await read(page, action, token))?.email,
    async act(page, action, token) {
      const found = await read(page, action, token);
      if (found === undefined) return;
      if (action === 'confirm') await confirmSubscriber(kysely, found.no, clock.nowUs());
      else await endSubscriber(kysely, found.no);
    },
  };
}

/** A page has at most so many subscribers, those who have not confirmed yet included. */
const mostSubscribers = 10_000;
/** Who did not confirm may be asked again after this time. */
const askAgainUs = hourUs;

/**
 * Notes that somebody asked for the mails of a page, and stores the mail that `compose` makes of the subscription, to
 * confirm it. Nothing happens where the address is confirmed already, was asked within the hour, or the page has too
 * many.
 */
async function askSubscriber(
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
async function findSubscription(
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
async function confirmSubscriber(kysely: Kysely<Tables>, no: number, nowUs: number): Promise<void> {
  await kysely
    .updateTable('page_subscribers')
    .set({ confirmed_us: nowUs })
    .where('subscriber_no', '=', no)
    .where('confirmed_us', 'is', null)
    .execute();
}

/** Ends a subscription; mails that wait are not sent. */
async function endSubscriber(kysely: Kysely<Tables>, no: number): Promise<void> {
  await kysely.deleteFrom('page_subscribers').where('subscriber_no', '=', no).execute();
}

const actions = ['confirm', 'end'] as const;
/** The action behind a link of a mail about a status page. */
type SubscriptionAction = (typeof actions)[number];

/** Signs the links of mails about status pages and reads them again. */
export interface SubscriptionLinks {
  /** The text after the address of the page and the action. */
  sign(action: SubscriptionAction, subscriberNo: number, askedUs: number): string;
  /** Undefined: it is of another action, or not signed by this system. */
  read(
    action: SubscriptionAction,
    text: string,
  ): { readonly no: number; readonly askedUs: number } | undefined;
}

/** Signs with the first of `keys` and reads with all of them. A link is of one subscription, not of a later one. */
export function createSubscriptionLinks(keys: readonly Uint8Array[]): SubscriptionLinks {
  const macOf = (key: Uint8Array, action: SubscriptionAction, content: string) =>
    createHmac('sha256', key).update(`${action}.${content}`).digest('base64url').slice(0, 32);
  return {
    sign(action, subscriberNo, askedUs) {
      const [key] = keys;
      if (key === undefined) throw new RangeError('links need a key');
      const content = `${subscriberNo}.${askedUs}`;
      return `${content}.${macOf(key, action, content)}`;
    },
    read(action, text) {
      const [, content = '', mac = ''] = /^(\d{1,10}\.\d{1,16})\.([\w-]{32})$/.exec(text) ?? [];
      const isOurs = keys.some((key) => {
        const expected = Buffer.from(macOf(key, action, content));
        const found = Buffer.from(mac);
        return found.length === expected.length && timingSafeEqual(found, expected);
      });
      if (!isOurs) return undefined;
      const [no, askedUs] = content.split('.').map(Number);
      return { no: no ?? 0, askedUs: askedUs ?? 0 };
    },
  };
}
