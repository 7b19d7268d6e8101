import { clientNetwork, createFairSemaphore, declareShare, greaterNetwork } from '@vantage/kernel';
import { createAttemptLimit } from '@vantage/rest-kit/attempt-limit';
import { createDocument, type ServedDocument } from '@vantage/rest-kit/document';
import type { OuterReply, OuterRoute } from '@vantage/rest-kit/outer-routes';
import type { Session } from '@vantage/rest-kit/session';
import { verifyPassword } from '@vantage/storage/secrets/password';
import { statusPath } from '../status-page-routes.ts';
import { statusAtom, statusJson } from './feeds.ts';
import { logoOfPage, pageHeaders, passwordHtml, statusHeaders, statusHtml } from './html.ts';
import { enter, hashing, isOpen } from './page-password.ts';
import type { ReadPage } from './page-view.ts';
import { createSnapshots, type Snapshot } from './snapshots.ts';
import { html, type StatusRouteDeps, types, unknownPage } from './status-replies.ts';
import { actOnLink, requestsPerMinute, subscribe } from './subscribe.ts';

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

type SentPageForm = keyof typeof types;

type PageReply = OuterReply<string | ServedDocument | Buffer>;

/** Status pages for people without a key: HTML, JSON and Atom. */
export function statusRoutes(given: StatusRouteDeps): readonly OuterRoute[] {
  const [cookieKey = new Uint8Array()] = given.sealer.deriveKeys('cookies of status pages');
  const deps = { ...given, cookieKey };
  const snapshots = createSnapshots({ ...given, timelines: (...ask) => given.health.timelines(...ask) });
  const guesses = createAttemptLimit(deps.clock);
  const asking = createAttemptLimit(deps.clock, requestsPerMinute);
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
        const give = (): PageReply | Promise<PageReply> => {
          if (action === 'subscribe') return subscribe({ ...deps, asking }, page, request);
          if (extension === 'png' || extension === 'jpg') return showLogo(page, extension);
          return show(deps, snapshot, formOf(extension));
        };
        switch (page.access) {
          case 'SignedIn': {
            const { cookie, address } = request;
            const who = { headers: { cookie }, query: new URLSearchParams(), address };
            const reader = (await deps.identify(who))?.session;
            // A caller without access does not learn that the page exists.
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

function formOf(extension: string | undefined): SentPageForm {
  return extension === 'json' || extension === 'atom' ? extension : 'html';
}

/**
 * Rendered and compressed once for each snapshot, so a popular page costs hardly more than any other.
 */
function show(
  { baseUrl, subscriptions }: StatusRouteDeps,
  { view, forms, isOld }: Snapshot,
  form: SentPageForm,
): PageReply {
  const make = () => {
    switch (form) {
      case 'html':
        return statusHtml(view, { isOld, canSubscribe: subscriptions() !== undefined });
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
function showLogo(page: ReadPage, extension: string): PageReply {
  const logo = logoOfPage(page);
  if (logo?.extension !== extension) return unknownPage();
  const headers = { ...statusHeaders, 'Cache-Control': cacheOf(page, 'max-age=86400, immutable') };
  return { status: 200, type: logo.type, body: logo.bytes, headers };
}

function cacheOf({ access }: ReadPage, age: string): string {
  return access === 'Public' ? `public, ${age}` : 'no-store';
}
