import { strangersEmailFault } from '@vantage/alerts';
import type { Clock } from '@vantage/kernel';
import type { Db } from '@vantage/storage';
import { plain } from '../../channels/fact-text.ts';
import type { SubscriptionAction, SubscriptionLinks } from './subscription-links.ts';
import {
  confirmSubscriber,
  endSubscriber,
  findSubscription,
  requestConfirmation,
} from './subscription-store.ts';

interface MailedPage {
  readonly pageNo: number;
  readonly name: string;
  /** Its web address. */
  readonly address: string;
}

/** Subscriptions of status pages by e-mail. */
export interface PageSubscriptions {
  /** Sends a mail to confirm. Resolves with the fault of a malformed address; never tells whether it is subscribed. */
  ask(page: MailedPage, email: string): Promise<string | undefined>;
  /** The address of the subscription that a link is about; undefined: the link is not valid, or no longer. */
  find(page: MailedPage, action: SubscriptionAction, token: string): Promise<string | undefined>;
  /** Confirms or ends the subscription of a link. */
  act(page: MailedPage, action: SubscriptionAction, token: string): Promise<void>;
}

/** Creates the subscriptions. `links` signs the links of their mails. */
export function createSubscriptions({
  db,
  clock,
  links,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly links: SubscriptionLinks;
}): PageSubscriptions {
  const { kysely } = db;
  const read = async ({ pageNo }: MailedPage, action: SubscriptionAction, token: string) => {
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
      await requestConfirmation(kysely, { pageNo, email, nowUs }, (subscriberNo) => ({
        subject: `Confirm your subscription: ${plain(name)}`,
        body: [
          `Someone, most likely you, requested the news of this status page by e-mail: ${plain(name)}`,
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
