import { secondUs } from '@vantage/domain';
import type { FormRequest, OuterReply, OuterRoute } from '@vantage/rest-kit/outer-routes';
import { emailKey } from '@vantage/rest-kit/person-check';
import { badKey, Problem } from '@vantage/rest-kit/problem';
import type { Session } from '@vantage/rest-kit/session';
import { readCookie, readSessionToken, sessionCookie } from '@vantage/rest-kit/session-cookie';
import { newCredential } from '@vantage/storage/secrets/credential';
import { rightsOf } from '../../config/oidc-settings.ts';
import { accepted } from '../../resources/refusal.ts';
import { findAccountNo } from '../accounts/account-store.ts';
import { provisionUser } from '../users/provision-user.ts';
import { beginSession } from './begin-session.ts';
import {
  begunCookie,
  begunS,
  context,
  cookieName,
  type ProviderRouteDeps,
  type ProviderSignInDeps,
  readBegun,
} from './begun-sign-in.ts';
import { ProviderFailure, type ProviderIdentity } from './provider.ts';
import { accountField, choice, failed, first, none, page, path } from './provider-pages.ts';

export { createSignInProvider } from './provider.ts';

const maxAccountLength = 200;

/** Signing in by a provider: the way to it, the way back, and what the page asks before it offers it. */
export function providerRoutes(deps: ProviderRouteDeps): readonly OuterRoute[] {
  const { provider, settings } = deps;
  return [
    {
      path: `${path}/ways`,
      needsKey: 'signed',
      run: async ({ cookie }) =>
        showWays({
          Provider: provider !== undefined,
          Proxy: deps.hasSignInHeader,
          Session: readSessionToken(cookie) !== undefined,
        }),
    },
    {
      path,
      needsKey: 'signed',
      purpose: 'provider',
      async run(request) {
        if (provider === undefined || settings === undefined) return page(404, none);
        const known = { ...deps, provider, settings };
        try {
          if (request.rest === '') return await leave(known, request.query);
          return request.rest === '/callback' ? await comeBack(known, request) : page(404, none);
        } catch (error) {
          if (!(error instanceof ProviderFailure)) throw error;
          deps.onFailure(error.message);
          return page(503, {
            ...failed,
            lines: [`The sign-in provider: ${error.message}.`, ...failed.lines],
          });
        }
      },
    },
  ];
}

/** The page reads it before the sign-in, to send no request that is refused: browsers log each refusal. */
function showWays(ways: {
  /** A provider signs people in. */
  readonly Provider: boolean;
  /** A proxy may sign people in. */
  readonly Proxy: boolean;
  /** The request carries the cookie of a session, which may have ended. */
  readonly Session: boolean;
}): OuterReply {
  return { status: 200, type: 'application/json', body: JSON.stringify(ways) };
}

/**
 * Redirects the browser to the provider. The expected state is in a cookie that only this installation can read, with
 * the account that the person named.
 */
async function leave(
  { provider, sealer, clock, baseUrl }: ProviderSignInDeps,
  query: URLSearchParams,
): Promise<OuterReply> {
  const { address, begun } = await provider.begin(`${baseUrl()}${path}/callback`);
  const untilUs = clock.nowUs() + begunS * secondUs;
  const account = query.get(accountField)?.slice(0, maxAccountLength);
  const value = sealer
    .seal({ ...begun, untilUs, ...(account && { account }) }, context)
    .toString('base64url');
  const headers = { Location: address, 'Set-Cookie': begunCookie(value, begunS) };
  return { status: 302, type: 'text/plain; charset=utf-8', body: '', headers };
}

/** Begins a session for a person who returns from the provider, or shows a page with the reason of the refusal. */
async function comeBack(
  deps: ProviderSignInDeps,
  { query, cookie, address }: FormRequest,
): Promise<OuterReply> {
  const begun = readBegun(deps, readCookie(cookie, cookieName));
  if (begun === undefined)
    return page(409, {
      ...failed,
      lines: ['The sign-in was not begun in this browser, or more than ten minutes ago.', ...failed.lines],
    });
  const back = new URL(`${deps.baseUrl()}${path}/callback?${query.toString()}`);
  const identity = await deps.provider.finish(back, begun);
  const refused = (reason: string) =>
    page(409, { ...failed, lines: [reason, ...failed.lines] }, { 'Set-Cookie': begunCookie('', 0) });
  if (identity.email === undefined)
    return refused(
      'The provider names no e-mail address of yours that was verified. Its administrator can add the claims "email" and "email_verified". For a provider that never sends the second one, the operator of Vantage can set VANTAGE_OIDC_ALLOW_UNVERIFIED_EMAIL.',
    );
  try {
    const email = emailKey(identity.email);
    const session = await admit(deps, { ...identity, email, account: begun.account }, address);
    const token = newCredential();
    await beginSession(deps.db, deps.catalog, {
      session,
      passwordHash: null,
      isProven: true,
      token,
      isByProvider: true,
    });
    // A page of our own in between: the cookie of a session goes along only where our own pages lead.
    return page(
      200,
      { title: 'You are signed in', lines: [], fields: null, links: [first] },
      {
        Refresh: '0; url=/',
        'Set-Cookie': sessionCookie(token),
      },
    );
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.accounts !== undefined) return choice(error.accounts);
    const account = accountOf(deps, begun.account);
    deps.onRefused({ who: { email: identity.email, account }, address, problem: error });
    return refused(error.message);
  }
}

/**
 * The session of a person whom the provider signed in, with the rights of the group where groups give them. Throws a
 * Problem (1001, 1005, 1006).
 */
async function admit(
  deps: ProviderSignInDeps,
  {
    email,
    name,
    groups,
    account: named,
  }: ProviderIdentity & { readonly email: string; readonly account: string | undefined },
  address: string,
): Promise<Session> {
  const { settings, catalog, db, onKeyChanged } = deps;
  const account = accountOf(deps, named);
  if (settings.groups !== undefined) {
    const rights = rightsOf(settings.groups, groups);
    if (rights === undefined) throw badKey('You are in none of the groups that may sign in here.');
    const accountNo = await findAccountNo(db.kysely, settings.account);
    if (accountNo === undefined) throw badKey(`There is no account ${settings.account}.`);
    const known = await catalog.change(db, { kind: 'stranger', address }, (transaction) =>
      provisionUser(transaction, { accountNo, email, name: name ?? email, rights }),
    );
    onKeyChanged(db, accepted(known).keyNo);
  }
  return deps.identifyProxied({ email, account }, address);
}

/** People who come by a group belong to one account; invited ones may name theirs. */
function accountOf({ settings }: ProviderSignInDeps, named: string | undefined): string | undefined {
  return settings.groups === undefined ? named : settings.account;
}
