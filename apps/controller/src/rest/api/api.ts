import { productVersion } from '@vantage/domain';
import { createLogSummary, type Logger, messageOf } from '@vantage/kernel';
import { sql } from 'kysely';
import { type Subscriptions, statusRoutes } from '../../catalog/pages/status/status-routes.ts';
import { createSignInProvider, providerRoutes } from '../../catalog/sessions/provider-routes.ts';
import { createSignInRefusals } from '../../catalog/sessions/routes.ts';
import { invitationPageRoutes } from '../../catalog/users/invitation-page-routes.ts';
import { outerRoutes } from '../../observe/metrics/routes.ts';
import { serviceDiscoveryRoute } from '../../observe/metrics/service-discovery-routes.ts';
import type { OidcSettings } from '../../platform/config/oidc.ts';
import type { Db } from '../../platform/db/index.ts';
import { type App, createApp } from '../http/app.ts';
import { type Authenticator, createAuthenticator } from '../http/authenticate.ts';
import { createIdempotency } from '../http/idempotency.ts';
import { findKey, findPeople } from '../http/key-store.ts';
import { createProxyTest } from '../http/origin.ts';
import type { OuterRoute } from '../http/outer-routes.ts';
import type { RequestTransactions } from '../http/run-route.ts';
import type { Site } from '../http/serve-site.ts';
import { findSession } from '../http/session-store.ts';
import { docsPageRoutes } from './docs-page.ts';
import { manualRoutes } from './manual.ts';
import { createRoutes, type RouteDeps } from './routes.ts';

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
  /** Webhooks may go to private addresses, and by plain HTTP. */
  readonly allowPrivateWebhooks?: boolean;
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
  | 'allowPrivateWebhooks'
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
  readonly log: Logger;
  readonly settings: HttpSettings;
  readonly onRoute?: Parameters<typeof createApp>[0]['onRoute'];
  /** Subscriptions of status pages. */
  readonly subscriptions?: Subscriptions | undefined;
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
  const ownChanges = createOwnChanges(db);
  const authenticator = createAuthenticator({
    seesOwnChanges: ownChanges.isSeen,
    onLimited: (text, address) => summary.count(text, { address }),
    findKey: (...sent) => findKey(db, ...sent),
    findPeople: (...sent) => findPeople(db, ...sent),
    findSession: (...sent) => findSession(db, ...sent),
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
  const onKeyChanged = (keyNo: number) =>
    db.afterCommit(() => authenticator.forget({ keyNos: [keyNo], sessionNos: [] }));
  const provider = settings.oidc && createSignInProvider(settings.oidc, clock);
  const routes = createRoutes({
    ...deps,
    db,
    clock,
    findings,
    ownFacts,
    retentionDays: settings.retentionDays,
    allowPrivateWebhooks: settings.allowPrivateWebhooks ?? false,
    version: productVersion,
    signIn: {
      identify: (...sent) => authenticator.identifyKey(...sent),
      identifyPerson: (...sent) => authenticator.identifyPerson(...sent),
      identifyProxied: (...sent) => authenticator.identifyProxied(...sent),
      onRefused: (refused) => refusals.note(refused),
      signOutAddress: async () => (await provider?.signOutAddress(`${deps.baseUrl()}/`)) ?? null,
      onEnded: (sessionNo) =>
        db.afterCommit(() => authenticator.forget({ keyNos: [], sessionNos: [sessionNo] })),
    },
    signInSettings: settings,
    onKeyChanged,
    onAccountChanged: (accountNo) => ownChanges.note(() => authenticator.forgetAccount(accountNo)),
  });
  const invitations = invitationPageRoutes({
    db,
    catalog: deps.catalog,
    onKeyChanged,
    mailPerson: deps.mailPerson,
  });
  const signIns = providerRoutes({
    ...deps,
    db,
    clock,
    provider,
    onKeyChanged,
    settings: settings.oidc,
    identifyProxied: (...sent) => authenticator.identifyProxied(...sent),
    onRefused: (refused) => refusals.note(refused),
    onFailure: (error) => summary.count('the sign-in provider failed', { error }),
  });
  const isTrustedProxy = createProxyTest(settings.trustedProxies);
  const app = createApp({
    routes,
    outerRoutes: [
      ...outerRoutes({ db, clock, findings }),
      serviceDiscoveryRoute(db),
      ...docsPageRoutes(),
      ...manualRoutes(),
      ...invitations,
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
    idempotency: createIdempotency({ db, sealer: deps.sealer, clock }),
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
  db: Db,
  catalog: Pick<RouteDeps['catalog'], 'lockAccount'>,
): RequestTransactions {
  return {
    run: (work) => (db.whole() === undefined ? db.inWholeTransaction(work) : work()),
    inScope: (tagNos, work) => db.inScope(tagNos, work),
    lockAccount: (caller) => catalog.lockAccount(caller),
    // A batch reads what it wrote before.
    read: (lane, accountNo, work) => {
      if (db.isInTransaction()) return work();
      const { replica } = db;
      const toReplica = lane === 'history' && replica !== undefined;
      return db.inLane(lane, accountNo, () => (toReplica ? replica.read(accountNo, work) : work()));
    },
    noteWrite: (accountNo) => db.replica?.noteWrite(accountNo),
  };
}

/** Knows the atomic batches in which an operation changed the account: the operations after it have its new zone. */
function createOwnChanges(db: Db) {
  const batches = new WeakSet<object>();
  return {
    isSeen: () => batches.has(db.whole() ?? db),
    note(afterCommit: () => void) {
      const whole = db.whole();
      if (whole !== undefined) batches.add(whole);
      db.afterCommit(afterCommit);
    },
  };
}

/** Has an authenticator forget what another controller revokes, until the result is disposed. */
function forgetRevoked(db: Db, authenticator: Authenticator, log: Logger) {
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
