import { productVersion } from '@vantage/domain';
import { createLogSummary, type Logger, messageOf } from '@vantage/kernel';
import { type App, createApp } from '@vantage/rest-kit/app';
import { type Authenticator, createAuthenticator } from '@vantage/rest-kit/authenticate';
import { createIdempotency } from '@vantage/rest-kit/idempotency';
import { createProxyTest } from '@vantage/rest-kit/origin';
import type { OuterRoute } from '@vantage/rest-kit/outer-routes';
import type { RequestTransactions } from '@vantage/rest-kit/run-route';
import type { Site } from '@vantage/rest-kit/serve-site';
import type { Database, Db } from '@vantage/storage';
import { sql } from 'kysely';
import { findKey } from '../access/keys/keys-in-force-store.ts';
import { createSignInRefusals } from '../access/sessions/session-routes.ts';
import { findSession } from '../access/sessions/session-store.ts';
import { createSignInProvider, providerRoutes } from '../access/sign-in/provider-routes.ts';
import { forgottenPageRoutes } from '../access/users/forgotten-page-routes.ts';
import { invitationPageRoutes } from '../access/users/invitation-page-routes.ts';
import { findPeople } from '../access/users/people-in-force-store.ts';
import type { OidcSettings } from '../config/oidc-settings.ts';
import { outerRoutes } from '../observe/metrics/metrics-routes.ts';
import { serviceDiscoveryRoute } from '../observe/metrics/service-discovery-routes.ts';
import type { PageSubscriptions } from '../reading/status-pages/public/status-replies.ts';
import { statusRoutes } from '../reading/status-pages/public/status-routes.ts';
import { createRoutes, type RouteDeps } from './all-routes.ts';
import { docsPageRoutes } from './docs-page.ts';
import { manualRoutes } from './manual.ts';

/** The operator's settings of the API. */
export interface HttpSettings {
  /** Header names besides Service-API-Key. */
  readonly apiKeyHeaders: readonly string[];
  /** Addresses and networks whose forwarded headers count. */
  readonly trustedProxies: readonly string[];
  /** The header, in small letters, in which such a proxy names whom it signed in. */
  readonly signInHeader?: string | undefined;
  /** The provider that signs people in; undefined: there is none. */
  readonly oidc?: OidcSettings | undefined;
  /** Origins whose web pages may use the API. */
  readonly corsOrigins?: readonly string[];
  readonly retentionDays: number;
  /** The address at which callers reach this API (VANTAGE_PUBLIC_URL). */
  readonly publicUrl?: string | undefined;
  /** The operator gave a certificate of his own (VANTAGE_TLS_CERT). */
  readonly ownCertificate?: boolean;
}

/** The REST API, to be served by any number of node's servers. */
export interface HttpApi extends App, AsyncDisposable {
  /** Whether an address is that of a proxy which the operator trusts. */
  readonly isTrustedProxy: (peer: string) => boolean;
}

/** Dependencies of routes that the API itself provides. */
type OwnDeps =
  | 'retentionDays'
  | 'version'
  | 'onAccountChanged'
  | 'onKeyChanged'
  | 'findings'
  | 'ownFacts'
  | 'signIn'
  | 'signInSettings';

/** Creates the REST API. It listens for revoked keys until it is disposed of. */
export function createHttpApi({
  db,
  clock,
  log,
  settings,
  onRoute,
  pages = [],
  site,
  findings = async () => [],
  ownFacts = () => undefined,
  ...deps
}: Omit<RouteDeps, OwnDeps> & {
  readonly db: Database;
  readonly log: Logger;
  readonly settings: HttpSettings;
  readonly onRoute?: Parameters<typeof createApp>[0]['onRoute'];
  /** Subscriptions of status pages. */
  readonly subscriptions: () => PageSubscriptions | undefined;
  /** Pages of other steps, for people who have no key. */
  readonly pages?: readonly OuterRoute[];
  /** The page for people. */
  readonly site?: Site;
  /** The findings for the operator, for `/readyz` and `/installation`. */
  readonly findings?: RouteDeps['findings'];
  /** Facts of this controller, for `GET /installation`. */
  readonly ownFacts?: RouteDeps['ownFacts'];
}): HttpApi {
  const summary = createLogSummary({ clock, log });
  const ownChanges = createOwnChanges();
  const authenticator = createAuthenticator({
    seesOwnChanges: ownChanges.isSeen,
    onLimited: (text, address) => summary.count(text, { address }),
    findKey: (hash, address, batch) => findKey(batch ?? db, hash, address),
    findPeople: (...sent) => findPeople(db, ...sent),
    findSession: (hash, address, batch) => findSession(batch ?? db, hash, address),
    clock,
    aliasHeaders: settings.apiKeyHeaders,
  });
  const listening = forgetRevoked(db, authenticator, log);
  const ending = new AbortController();
  const refusals = createSignInRefusals({
    db,
    clock,
    catalog: deps.catalog,
    onLost: (error) => summary.count('a refused sign-in is not in the audit', { error }),
  });
  const onKeyChanged = (on: Db, keyNo: number) =>
    on.afterCommit(() => authenticator.forget({ keyNos: [keyNo], sessionNos: [] }));
  const provider = settings.oidc && createSignInProvider(settings.oidc, clock);
  const routes = createRoutes({
    ...deps,
    clock,
    findings,
    ownFacts,
    retentionDays: settings.retentionDays,
    version: productVersion,
    signIn: {
      identify: (...sent) => authenticator.identifyKey(...sent),
      identifyPerson: (...sent) => authenticator.identifyPerson(...sent),
      identifyProxied: (...sent) => authenticator.identifyProxied(...sent),
      onRefused: (refused) => refusals.note(refused),
      signOutAddress: async () => (await provider?.signOutAddress(`${deps.baseUrl()}/`)) ?? null,
      onEnded: (on, sessionNo) =>
        on.afterCommit(() => authenticator.forget({ keyNos: [], sessionNos: [sessionNo] })),
    },
    signInSettings: settings,
    onKeyChanged,
    onAccountChanged: (on, accountNo) => ownChanges.note(on, () => authenticator.forgetAccount(accountNo)),
  });
  const invitations = invitationPageRoutes({
    db,
    catalog: deps.catalog,
    onKeyChanged,
    mailPerson: deps.mailPerson,
    identifyPerson: (...sent) => authenticator.identifyPerson(...sent),
  });
  const forgotten = forgottenPageRoutes({
    db,
    clock,
    catalog: deps.catalog,
    baseUrl: deps.baseUrl,
    mailPerson: deps.mailPerson,
    onLost: (error) => summary.count('a request for another password was not handled', { error }),
  });
  const signIns = providerRoutes({
    ...deps,
    db,
    clock,
    provider,
    onKeyChanged,
    settings: settings.oidc,
    hasSignInHeader: settings.signInHeader !== undefined,
    identifyProxied: (...sent) => authenticator.identifyProxied(...sent),
    onRefused: (refused) => refusals.note(refused),
    onFailure: (error) => summary.count('the sign-in provider failed', { error }),
  });
  const isTrustedProxy = createProxyTest(settings.trustedProxies);
  const app = createApp({
    routes,
    outerRoutes: [
      ...outerRoutes({ db, clock, findings }),
      serviceDiscoveryRoute,
      ...docsPageRoutes(),
      ...manualRoutes(),
      ...invitations,
      ...forgotten,
      ...statusRoutes({ ...deps, db, clock, log, identify: (sent) => authenticator.identify(sent) }),
      ...signIns,
      ...pages,
    ],
    site,
    authenticator,
    isTrustedProxy,
    onRoute,
    clock,
    log,
    summary,
    ownCertificate: settings.ownCertificate ?? false,
    publicUrl: settings.publicUrl,
    signInHeader: settings.signInHeader,
    cors: { origins: settings.corsOrigins ?? [], keyHeaders: settings.apiKeyHeaders },
    transactions: requestTransactions(db, deps.catalog),
    idempotency: createIdempotency({ sealer: deps.sealer, clock }),
    askStorage: () => sql`select 1`.execute(db.kysely),
    ending: ending.signal,
  });
  return {
    ...app,
    isTrustedProxy,
    async [Symbol.asyncDispose]() {
      ending.abort(new Error('the API ends'));
      await refusals[Symbol.asyncDispose]();
      summary[Symbol.dispose]();
      await (await listening)?.[Symbol.asyncDispose]();
    },
  };
}

/** The transactions of requests, and the server for their reads of history. */
function requestTransactions(
  db: Database,
  catalog: Pick<RouteDeps['catalog'], 'lockAccount'>,
): RequestTransactions {
  return {
    db,
    lockAccount: (on, caller) => catalog.lockAccount(on, caller),
    read: (lane, accountNo, work) =>
      lane === 'history' ? db.readHistory(accountNo, work) : work(db.lane(lane, accountNo)),
    noteWrite: (accountNo) => db.replica?.noteWrite(accountNo),
  };
}

/** Knows the atomic batches in which an operation changed the account: the operations after it have its new zone. */
function createOwnChanges() {
  const batches = new WeakSet<object>();
  return {
    isSeen: ({ batch }: Db) => batch !== undefined && batches.has(batch),
    note(db: Db, afterCommit: () => void) {
      if (db.batch !== undefined) batches.add(db.batch);
      db.afterCommit(afterCommit);
    },
  };
}

/** Has an authenticator forget what another controller revokes, until the result is disposed. */
function forgetRevoked(db: Database, authenticator: Authenticator, log: Logger) {
  return db
    .subscribe('revoked', (notice) =>
      authenticator.forget(notice && { keyNos: notice.key_nos, sessionNos: notice.session_nos ?? [] }),
    )
    .catch((error: unknown) => {
      // Keys are forgotten after 4 seconds anyway.
      log.warn({ error: messageOf(error) }, 'revoked keys are noticed by time only');
      return undefined;
    });
}
