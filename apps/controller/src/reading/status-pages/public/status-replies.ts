import type { Clock, Logger } from '@vantage/kernel';
import type { Authenticator } from '@vantage/rest-kit/authenticate';
import type { OuterReply } from '@vantage/rest-kit/outer-routes';
import type { Database } from '@vantage/storage';
import type { Sealer } from '@vantage/storage/secrets/seal';
import type { ReadTimelines } from '../../states/state-routes.ts';
import { statusPath } from '../status-page-routes.ts';
import { sentenceHtml, statusHeaders } from './html.ts';
import type { ReadPage } from './page-view.ts';

/** The parts that status pages need. */
export interface StatusRouteDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  /** The address of the controller, without a slash at the end. */
  readonly baseUrl: () => string;
  /** Signs the cookies of pages with a password. */
  readonly sealer: Pick<Sealer, 'deriveKeys'>;
  /** Subscriptions by e-mail; undefined: there are none now. */
  readonly subscriptions: () => PageSubscriptions | undefined;
  readonly health: { readonly timelines: ReadTimelines };
  /** Identifies the sender of a request; undefined: not signed in. */
  readonly identify: Authenticator['identify'];
}

export const types = {
  html: 'text/html; charset=utf-8',
  json: 'application/json; charset=utf-8',
  atom: 'application/atom+xml; charset=utf-8',
} as const;

export function unknownPage(): OuterReply {
  return html(
    404,
    sentenceHtml('There is no such page', 'Its address may have changed, or you need to sign in first.'),
  );
}

export function html(status: OuterReply['status'], body: string): OuterReply {
  return { status, type: types.html, body, headers: statusHeaders };
}

/** Subscriptions by e-mail, as the step of messages has them. */
export interface PageSubscriptions {
  ask(page: SubscribedPage, email: string): Promise<string | undefined>;
  find(page: SubscribedPage, action: 'confirm' | 'end', token: string): Promise<string | undefined>;
  act(page: SubscribedPage, action: 'confirm' | 'end', token: string): Promise<void>;
}

type SubscribedPage = ReturnType<typeof subscribedPage>;

export function subscribedPage({ page_no: pageNo, name, path }: ReadPage, baseUrl: string) {
  return { pageNo, name, address: `${baseUrl}${statusPath}${path}` };
}
