import { createHmac, timingSafeEqual } from 'node:crypto';
import { secondUs } from '@vantage/domain';
import {
  type Clock,
  clientNetwork,
  createFairSemaphore,
  declareShare,
  greaterNetwork,
  type Logger,
} from '@vantage/kernel';
import type { Db } from '../../../platform/db/index.ts';
import { verifyPassword } from '../../../platform/secrets/password.ts';
import type { Sealer } from '../../../platform/secrets/seal.ts';
import { type AttemptLimit, createAttemptLimit } from '../../../rest/http/attempt-limit.ts';
import type { Authenticator } from '../../../rest/http/authenticate.ts';
import { createDocument, type Document } from '../../../rest/http/document.ts';
import type { FormRequest, OuterReply, OuterRoute } from '../../../rest/http/outer-routes.ts';
import { readCookie, type Session } from '../../../rest/http/session.ts';
import { statusPath } from '../routes.ts';
import { statusAtom, statusJson } from './feeds.ts';
import {
  buttonHtml,
  logoOfPage,
  pageHeaders,
  passwordHtml,
  sentenceHtml,
  statusHeaders,
  statusHtml,
} from './html.ts';
import { createSnapshots, type Snapshot } from './snapshots.ts';
import type { ReadPage, ViewDeps } from './view.ts';

declareShare({
  name: 'guesses_at_status_pages',
  limit: '20 a minute for each page and address (IPv6: /64)',
  filledBy: 'strangers',
  share: 'the same',
});
declareShare({
  name: 'subscriptions_of_an_address',
  limit: '5 a minute for each address (IPv6: /64)',
  filledBy: 'strangers',
  share: 'the same',
});
declareShare({
  name: 'hashes_of_status_pages',
  limit: '1 computed, 16 wait',
  filledBy: 'strangers',
  share: '4 wait of an address (IPv6: /64); greater networks take turns',
});

/** Subscriptions by e-mail, as the step of messages has them. */
export interface Subscriptions {
  ask(page: SubscribedPage, email: string): Promise<string | undefined>;
  find(page: SubscribedPage, action: 'confirm' | 'end', token: string): Promise<string | undefined>;
  act(page: SubscribedPage, action: 'confirm' | 'end', token: string): Promise<void>;
}

type SubscribedPage = ReturnType<typeof subscribedPage>;

/** The parts that status pages need. */
export interface StatusRouteDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  /** Where the controller is, without a slash at the end. */
  readonly baseUrl: () => string;
  /** Signs the cookies of pages with a password. */
  readonly sealer: Pick<Sealer, 'deriveKeys'>;
  /** Subscriptions by e-mail; undefined: there are none. */
  readonly subscriptions?: Subscriptions | undefined;
  readonly health: { readonly timelines: ViewDeps['timelines'] };
  /** Finds out who sends a request; undefined: nobody is signed in. */
  readonly identify: Authenticator['identify'];
}

/** With the key of the cookies. */
type OpenDeps = StatusRouteDeps & { readonly cookieKey: Uint8Array };

const types = {
  html: 'text/html; charset=utf-8',
  json: 'application/json; charset=utf-8',
  atom: 'application/atom+xml; charset=utf-8',
} as const;
type Form = keyof typeof types;
type Reply = OuterReply<string | Document | Buffer>;

/** A password opens its page for so long. */
const openS = 12 * 3_600;
/** Mails that one address has sent to strangers in a minute. */
const asksPerMinute = 5;
/** Each computation of a password's hash takes 16 MiB and all of a processor for 50 ms. */
const hashing = { running: 1, perOwner: { running: 1, waiting: 4 }, waiting: 16 } as const;

/** Status pages for people without a key: HTML, JSON and Atom. */
export function statusRoutes(given: StatusRouteDeps): readonly OuterRoute[] {
  const [cookieKey = new Uint8Array()] = given.sealer.deriveKeys('cookies of status pages');
  const deps = { ...given, cookieKey };
  const snapshots = createSnapshots({ ...given, timelines: (...ask) => given.health.timelines(...ask) });
  const guesses = createAttemptLimit(deps.clock);
  const asking = createAttemptLimit(deps.clock, asksPerMinute);
  const places = createFairSemaphore<string>({ ...hashing, groupOf: greaterNetwork });
  return [
    {
      path: statusPath,
      needsKey: 'signed',
      purpose: 'pages',
      async run(request) {
        const asked =
          /^([a-z0-9-]{1,64})(?:\.(json|atom|png|jpg)|\/(subscribe|confirm|end)(?:\/([\w.-]{1,80}))?)?$/.exec(
            request.rest,
          );
        const snapshot = asked === null ? undefined : await snapshots.read(asked[1] ?? '');
        const [, , extension, action, token = ''] = asked ?? [];
        // The links of mails work wherever they are opened: they are signed. A wrong one does not tell a page that its
        // reader may not see from one that does not exist.
        if (action === 'confirm' || action === 'end')
          return actOnLink(deps, snapshot?.view.page, { action, token, isSent: request.isSent });
        if (snapshot === undefined) return unknownPage();
        const { page } = snapshot.view;
        const give = (): Reply | Promise<Reply> => {
          if (action === 'subscribe') return subscribe({ ...deps, asking }, page, request);
          if (extension === 'png' || extension === 'jpg') return showLogo(page, extension);
          return show(deps, snapshot, formOf(extension));
        };
        switch (page.access) {
          case 'SignedIn': {
            const { cookie, address } = request;
            const who = { headers: { cookie }, query: new URLSearchParams(), address };
            const reader = (await deps.identify(who))?.session;
            // Who may not read it does not learn that it exists.
            return mayRead(reader, page) ? give() : unknownPage();
          }
          case 'Password': {
            if (isOpen(deps, page, request.cookie)) return give();
            if (!request.isSent) return html(200, passwordHtml(page.name, undefined));
            const verify = (password: string) =>
              places.run(clientNetwork(request.address), () =>
                verifyPassword(password, page.password_hash ?? ''),
              );
            return enter({ ...deps, guesses, verify }, page, request);
          }
          case 'Public':
            return give();
        }
      },
    },
  ];
}

/** A reader who is limited to tags may read pages of these tags only. */
function mayRead(reader: Pick<Session, 'accountNo' | 'scope'> | undefined, page: ReadPage): boolean {
  if (reader?.accountNo !== page.account_no) return false;
  const { scope } = reader;
  return scope === undefined || (page.tag_nos?.every((no) => scope.includes(no)) ?? false);
}

function formOf(extension: string | undefined): Form {
  return extension === 'json' || extension === 'atom' ? extension : 'html';
}

/**
 * Made and compressed once for each snapshot, so that a page that is asked for often costs hardly more than a page that
 * is not.
 */
function show(
  { baseUrl, subscriptions }: StatusRouteDeps,
  { view, forms, isOld }: Snapshot,
  form: Form,
): Reply {
  const make = () => {
    switch (form) {
      case 'html':
        return statusHtml(view, { isOld, canSubscribe: subscriptions !== undefined });
      case 'json':
        return statusJson(view, isOld);
      case 'atom':
        return statusAtom(view, `${baseUrl()}${statusPath}${view.page.path}`);
    }
  };
  const body = forms.get(form) ?? createDocument(async () => make());
  forms.set(form, body);
  const headers = { ...pageHeaders(view.page), 'Cache-Control': cacheOf(view.page, 'max-age=5') };
  return { status: 200, type: types[form], body, headers };
}

/** The address of a logo changes with it. */
function showLogo(page: ReadPage, extension: string): Reply {
  const logo = logoOfPage(page);
  if (logo?.extension !== extension) return unknownPage();
  const headers = { ...statusHeaders, 'Cache-Control': cacheOf(page, 'max-age=86400, immutable') };
  return { status: 200, type: logo.type, body: logo.bytes, headers };
}

function cacheOf({ access }: ReadPage, age: string): string {
  return access === 'Public' ? `public, ${age}` : 'no-store';
}

/** Answers a request for mails. The answer is the same whether the address is subscribed already. */
async function subscribe(
  { subscriptions, asking, baseUrl }: StatusRouteDeps & { readonly asking: AttemptLimit },
  page: ReadPage,
  { isSent, fields, address }: FormRequest,
): Promise<OuterReply> {
  if (subscriptions === undefined || !isSent) return unknownPage();
  const turn = asking.begin(clientNetwork(address));
  if ('waitS' in turn)
    return html(503, sentenceHtml('Too many requests', `Try again in ${turn.waitS} seconds.`));
  const fault = await subscriptions.ask(subscribedPage(page, baseUrl()), fields.get('Email') ?? '');
  return fault === undefined
    ? html(
        200,
        sentenceHtml(
          'Look into your mailbox',
          'If the address is right and not subscribed yet, a mail with a link is on its way. Open the link within a day.',
        ),
      )
    : html(409, sentenceHtml('This is no e-mail address', `An address ${fault}.`));
}

/** Shows what a link of a mail does, and does it when its button is pressed: mail servers open links to scan them. */
async function actOnLink(
  { subscriptions, baseUrl }: StatusRouteDeps,
  page: ReadPage | undefined,
  {
    action,
    token,
    isSent,
  }: { readonly action: 'confirm' | 'end'; readonly token: string; readonly isSent: boolean },
): Promise<OuterReply> {
  if (page === undefined || subscriptions === undefined) return wrongLink();
  const about = subscribedPage(page, baseUrl());
  const email = await subscriptions.find(about, action, token);
  if (email === undefined) return wrongLink();
  const { title, text, button, done } = linkWords[action];
  if (!isSent) return html(200, buttonHtml(title, `${page.name}: ${text} ${email}`, button));
  await subscriptions.act(about, action, token);
  return html(200, sentenceHtml(done, `${page.name}: ${email}`));
}

const linkWords = {
  confirm: {
    title: 'Get the news of this page?',
    text: 'mails will go to',
    button: 'Yes, send them',
    done: 'You will get the news',
  },
  end: {
    title: 'End the mails of this page?',
    text: 'no further mails to',
    button: 'Yes, end them',
    done: 'No further mails will come',
  },
} as const;

function subscribedPage({ page_no: pageNo, name, path }: ReadPage, baseUrl: string) {
  return { pageNo, name, address: `${baseUrl}${statusPath}${path}` };
}

/** Answers a password that was sent. Guesses are counted for each page and address. */
async function enter(
  deps: OpenDeps & {
    readonly guesses: AttemptLimit;
    readonly verify: (password: string) => Promise<{ readonly value: boolean } | undefined>;
  },
  page: ReadPage,
  { fields, address }: FormRequest,
): Promise<OuterReply> {
  const guess = deps.guesses.begin(`${page.page_no}/${clientNetwork(address)}`);
  if ('waitS' in guess)
    return html(503, passwordHtml(page.name, `Too many attempts. Try again in ${guess.waitS} seconds.`));
  const outcome = await deps.verify((fields.get('Password') ?? '').slice(0, 200));
  if (outcome === undefined) {
    guess.takeBack();
    return html(503, passwordHtml(page.name, 'Too many passwords at once. Try again in a moment.'));
  }
  if (!outcome.value) return html(200, passwordHtml(page.name, 'The password is wrong.'));
  guess.takeBack();
  const endsS = Math.floor(deps.clock.nowUs() / secondUs) + openS;
  const cookie = `${cookieName(page)}=${endsS}.${signature(deps.cookieKey, page, endsS)}; Path=${statusPath}; Max-Age=${openS}; Secure; HttpOnly; SameSite=Lax`;
  const to = `${statusPath}${page.path}`;
  return {
    status: 302,
    type: types.html,
    body: '',
    headers: { ...statusHeaders, Location: to, 'Set-Cookie': cookie },
  };
}

/** A cookie of the page's present password that has not ended. */
function isOpen({ clock, cookieKey }: OpenDeps, page: ReadPage, cookies: string | undefined): boolean {
  const [ends = '', signed = ''] = (readCookie(cookies, cookieName(page)) ?? '').split('.');
  if (!/^\d{1,12}$/.test(ends) || Number(ends) * secondUs < clock.nowUs()) return false;
  const expected = Buffer.from(signature(cookieKey, page, Number(ends)));
  const found = Buffer.from(signed);
  return found.length === expected.length && timingSafeEqual(found, expected);
}

function cookieName({ page_no }: ReadPage): string {
  return `__Secure-vantage-page-${page_no}`;
}

function signature(key: Uint8Array, { page_no, password_hash }: ReadPage, endsS: number): string {
  return createHmac('sha256', key).update(`${page_no}.${endsS}.${password_hash}`).digest('base64url');
}

function wrongLink(): OuterReply {
  return html(404, sentenceHtml('This link is not valid', 'It has expired, or the subscription has ended.'));
}

function unknownPage(): OuterReply {
  return html(
    404,
    sentenceHtml('There is no such page', 'Its address may have changed, or you need to sign in first.'),
  );
}

function html(status: OuterReply['status'], body: string): OuterReply {
  return { status, type: types.html, body, headers: statusHeaders };
}
