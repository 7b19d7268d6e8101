import { secondUs } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import { z } from 'zod';
import { type OidcSettings, rightsOf } from '../../platform/config/oidc.ts';
import type { Db } from '../../platform/db/index.ts';
import { newCredential } from '../../platform/secrets/credential.ts';
import type { Sealer } from '../../platform/secrets/seal.ts';
import { type FormPage, formPage, formPageHeaders } from '../../rest/http/form-page.ts';
import type { FormRequest, OuterReply, OuterRoute } from '../../rest/http/outer-routes.ts';
import { emailKey } from '../../rest/http/person-check.ts';
import { badKey, Problem } from '../../rest/http/problem.ts';
import { readCookie, type Session, sessionCookie } from '../../rest/http/session.ts';
import { findAccountNo } from '../accounts/store.ts';
import type { Catalog } from '../change.ts';
import { accepted } from '../refusal.ts';
import { provisionUser } from '../users/provision.ts';
import { beginSession } from './begin.ts';
import { type Begun, type Identity, ProviderFailure, type SignInProvider } from './provider.ts';
import type { RefusedAttempt } from './refusal-entry.ts';

export { createSignInProvider } from './provider.ts';

/** Where a sign-in by the provider begins; `/callback` follows, and `/ways`, which does not ask the provider. */
const path = '/sign-in';
const cookieName = '__Host-vantage-sign-in';
const context = 'sign-in by a provider';
/** How long somebody may take at the provider. */
const begunS = 600;
/** The account of somebody who is in several: `/sign-in?Account=…`. */
const accountField = 'Account';
const longestAccount = 200;

const kept = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  untilUs: z.int(),
  account: z.string().optional(),
});

/** The parts that signing in by a provider needs. */
interface ProviderRouteDeps {
  readonly db: Pick<Db, 'kysely'>;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly sealer: Sealer;
  /** Undefined: there is none. */
  readonly provider: SignInProvider | undefined;
  readonly settings: Pick<OidcSettings, 'groups' | 'account'> | undefined;
  /** Where people reach this installation, without a slash at the end. */
  readonly baseUrl: () => string;
  /** Finds the person with this e-mail address, who needs no password. Throws a Problem (1001, 1006). */
  readonly identifyProxied: (
    person: { readonly email: string; readonly account: string | undefined },
    address: string,
  ) => Promise<Session>;
  readonly onKeyChanged: (keyNo: number) => void;
  /** Called when somebody was refused, to put it into the audit. */
  readonly onRefused: (refused: RefusedAttempt) => void;
  /** Called when the provider cannot be asked, or its answer is refused, with the reason. */
  readonly onFailure: (reason: string) => void;
}

/** Signing in by a provider: the way to it, the way back, and what the page asks before it offers it. */
export function providerRoutes(deps: ProviderRouteDeps): readonly OuterRoute[] {
  const { provider, settings } = deps;
  return [
    { path: `${path}/ways`, needsKey: 'signed', run: async () => showWays(provider !== undefined) },
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

type Known = ProviderRouteDeps & {
  readonly provider: SignInProvider;
  readonly settings: Pick<OidcSettings, 'groups' | 'account'>;
};

const first = { to: '/', words: 'To the first page' } as const;
const none: FormPage = { title: 'There is nothing here', lines: [], fields: null, links: [first] };
const failed: FormPage = {
  title: 'You are not signed in',
  lines: ['Try again on the first page. A key or a password works without the provider.'],
  fields: null,
  links: [first],
};

function page(
  status: OuterReply['status'],
  shown: FormPage,
  headers: OuterReply['headers'] = {},
): OuterReply {
  const type = 'text/html; charset=utf-8';
  return { status, type, body: formPage(shown), headers: { ...formPageHeaders, ...headers } };
}

function showWays(hasProvider: boolean): OuterReply {
  return { status: 200, type: 'application/json', body: JSON.stringify({ Provider: hasProvider }) };
}

/**
 * Sends the browser to the provider. What must come back is in a cookie that only this installation can read, with the
 * account where the person named one.
 */
async function leave(
  { provider, sealer, clock, baseUrl }: Known,
  query: URLSearchParams,
): Promise<OuterReply> {
  const { address, begun } = await provider.begin(`${baseUrl()}${path}/callback`);
  const untilUs = clock.nowUs() + begunS * secondUs;
  const account = query.get(accountField)?.slice(0, longestAccount);
  const value = sealer
    .seal({ ...begun, untilUs, ...(account && { account }) }, context)
    .toString('base64url');
  const headers = { Location: address, 'Set-Cookie': begunCookie(value, begunS) };
  return { status: 302, type: 'text/plain; charset=utf-8', body: '', headers };
}

/**
 * The way back comes from the provider's site, so the cookie cannot be SameSite=Strict (RFC 6265bis, section 5.6.7).
 */
function begunCookie(value: string, maxAgeS: number): string {
  return `${cookieName}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${maxAgeS}`;
}

/** Who comes back from the provider has a session from now on, or a page that says why not. */
async function comeBack(deps: Known, { query, cookie, address }: FormRequest): Promise<OuterReply> {
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
    await beginSession(deps.catalog, {
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

/** Lets somebody who is in several accounts choose one: the provider, which knows them now, is asked once more. */
function choice(accounts: readonly string[]): OuterReply {
  const links = accounts.map((account) => ({
    to: `${path}?${accountField}=${encodeURIComponent(account)}`,
    words: account,
  }));
  const shown = { title: 'Choose an account', lines: ['You are in several.'], fields: null, links };
  return page(200, shown, { 'Set-Cookie': begunCookie('', 0) });
}

function readBegun(
  { sealer, clock }: Known,
  value: string | undefined,
): (Begun & { readonly account?: string | undefined }) | undefined {
  if (value === undefined) return undefined;
  try {
    const begun = kept.parse(sealer.open(Buffer.from(value, 'base64url'), context));
    return begun.untilUs < clock.nowUs() ? undefined : begun;
  } catch {
    return undefined;
  }
}

/**
 * The session of a person whom the provider signed in, with the rights of the group where groups give them. Throws a
 * Problem (1001, 1005, 1006).
 */
async function admit(
  deps: Known,
  {
    email,
    name,
    groups,
    account: named,
  }: Identity & { readonly email: string; readonly account: string | undefined },
  address: string,
): Promise<Session> {
  const { settings, catalog, db, onKeyChanged } = deps;
  const account = accountOf(deps, named);
  if (settings.groups !== undefined) {
    const rights = rightsOf(settings.groups, groups);
    if (rights === undefined) throw badKey('You are in none of the groups that may sign in here.');
    const accountNo = await findAccountNo(db.kysely, settings.account);
    if (accountNo === undefined) throw badKey(`There is no account ${settings.account}.`);
    const known = await catalog.change({ kind: 'stranger', address }, (transaction) =>
      provisionUser(transaction, { accountNo, email, name: name ?? email, rights }),
    );
    onKeyChanged(accepted(known).keyNo);
  }
  return deps.identifyProxied({ email, account }, address);
}

/** People who come by a group belong to one account; invited ones may name theirs. */
function accountOf({ settings }: Known, named: string | undefined): string | undefined {
  return settings.groups === undefined ? named : settings.account;
}
