import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type Router from '@koa/router';
import type { Clock, Logger, LogSummary } from '@vantage/kernel';
import Koa from 'koa';
import type { Authenticator } from '../auth/authenticate.ts';
import type { Idempotency } from '../batch/idempotency.ts';
import { createOperations } from '../batch/operation.ts';
import { createKeyLoad } from '../limits/key-load.ts';
import { createStorageGuard } from '../limits/storage-guard.ts';
import { createStrangerLoad } from '../limits/stranger-load.ts';
import { answerProblem, type RestAnswer } from './answer.ts';
import { createClientErrorAnswer } from './client-error.ts';
import { compressAnswer } from './compress.ts';
import { openToOrigins } from './cors.ts';
import { createOriginReader } from './origin.ts';
import { loggedPath, type OuterRoute, serveOuterRoutes } from './outer-routes.ts';
import { httpsRequired } from './problem.ts';
import { readAway } from './request-body.ts';
import { createFailureReader } from './request-failure.ts';
import { nameRequest, requestId } from './request-id.ts';
import type { Route } from './route.ts';
import { basePath, createRouteIndex, createRouter, notRouted, verbsOf } from './route-finder.ts';
import { createRouteRunner, type RequestTransactions } from './run-route.ts';
import { createRouteServer } from './serve-route.ts';
import { createSiteServer, type Site } from './serve-site.ts';
import { validateFraming, validateHost } from './validate-frame.ts';

/** The API as a server uses it. */
export interface App {
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void;
  /**
   * For the server's `clientError`: what node could not parse (a header too long, no HTTP) is answered in the API's
   * shape.
   */
  readonly clientError: (error: Error, socket: Duplex) => void;
}

/** Builds the Koa application that serves a route table. */
export function createApp({
  routes,
  transactions,
  idempotency,
  outerRoutes,
  site,
  authenticator,
  isTrustedProxy,
  signInHeader,
  ownCertificate,
  publicUrl = '',
  cors,
  askStorage,
  ending,
  onRoute = () => {},
  clock,
  log,
  summary,
}: {
  readonly routes: readonly Route[];
  readonly transactions: RequestTransactions;
  readonly idempotency: Idempotency;
  readonly outerRoutes: readonly OuterRoute[];
  /** The page for people; undefined: there is none. */
  readonly site?: Site | undefined;
  readonly authenticator: Authenticator;
  readonly isTrustedProxy: (peer: string) => boolean;
  /** The header in which such a proxy names whom it signed in. */
  readonly signInHeader: string | undefined;
  /** The operator gave a certificate for this host, so the answers may ask browsers to use HTTPS only. */
  readonly ownCertificate: boolean;
  /** The address at which callers reach the API (VANTAGE_PUBLIC_URL). */
  readonly publicUrl?: string | undefined;
  /** The origins whose web pages may use the API, and the headers that carry the key. */
  readonly cors: Parameters<typeof openToOrigins>[0];
  /** Resolves when the database answers. */
  readonly askStorage: () => Promise<unknown>;
  /** Ends streams. */
  readonly ending: AbortSignal;
  /** Is called when the route of a request is found, with its path and placeholders. */
  readonly onRoute?: ((request: IncomingMessage, path: string) => void) | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** For what every request can cause. */
  readonly summary: LogSummary;
}): App {
  const readOrigin = createOriginReader(isTrustedProxy, signInHeader);
  const load = createKeyLoad();
  const strangers = createStrangerLoad();
  const guard = createStorageGuard({ ask: askStorage, clock });
  const answerPages = openToOrigins(cors);
  const koa = new Koa();
  const router = createRouter(routes, basePath);
  const findRoute = createRouteIndex(routes);

  const readFailure = createFailureReader(summary);
  const run = createRouteRunner({ routes, transactions, idempotency });
  const performer = createOperations({ routes, run, idempotency, readFailure });
  const serve = createRouteServer({
    routes,
    db: transactions.db,
    run,
    performer,
    authenticator,
    load,
    strangers,
    readOrigin,
    publicUrl: publicUrl.replace(/\/+$/, ''),
    ending,
    clock,
  });

  const serveRoutes = async (context: Koa.Context) => {
    const { method, path } = context;
    if (!path.startsWith(`${basePath}/`)) return;
    const found = findRoute(method, path.slice(basePath.length));
    if (found === undefined) return;
    const { route, params } = found;
    onRoute(context.req, `${basePath}${route.path}`);
    put(context, await guard(serve({ route, params }, context)));
  };

  koa.on('error', (error: Error) => {
    const left = 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'; // a reader may close a stream at any time
    log[left ? 'debug' : 'error']({ error: error.message }, 'an answer could not be sent');
  });
  koa.use(nameRequest);
  koa.use(compressAnswer);
  koa.use(async (context, next) => {
    const from = clock.monoMs();
    try {
      const { secure, proxied } = readOrigin(context.req);
      if (!secure) throw httpsRequired();
      // RFC 6797, section 7.2. A proxy in front has a policy of its own; with a certificate of our CA other servers of
      // localhost would suffer.
      if (ownCertificate && !proxied) context.set('Strict-Transport-Security', 'max-age=31536000');
      validateFraming(context.req, context.res);
      validateHost(context.req);
      await answerPages(context, next);
      if (context.status === 404 && context.body === undefined) answerUnrouted(router, context);
    } catch (error) {
      if (context.res.closed || (context.req.destroyed && !context.req.complete)) return; // the caller left
      const { method } = context;
      const path = loggedPath(outerRoutes, context.path);
      put(context, answerProblem(readFailure(error, { request_id: requestId(context), method, path })));
      if (!context.req.complete) readAway(context.req);
    } finally {
      const ms = Math.round(clock.monoMs() - from);
      const { method, status } = context;
      const path = loggedPath(outerRoutes, context.path);
      log.debug({ request_id: requestId(context), method, path, status, ms }, 'request');
    }
  });
  const addressOf = (request: IncomingMessage) => readOrigin(request).address;
  const { read } = transactions;
  const outer = { routes: outerRoutes, read, authenticator, load, strangers, guard, addressOf, put };
  koa.use(serveOuterRoutes(outer));
  koa.use(createSiteServer({ site, taken: outerRoutes.map(({ path }) => path), put }));
  koa.use(serveRoutes);
  const callback = koa.callback();
  return {
    handler: (request, response) => void callback(request, response),
    clientError: createClientErrorAnswer(readOrigin),
  };
}

function put(context: Koa.Context, { status, headers, body, isOwn = false }: RestAnswer): void {
  context.status = status;
  context.state['isOwn'] = isOwn;
  // Headers come first: Koa guesses the type of a body that has none from its first characters.
  for (const [name, value] of Object.entries(headers)) context.set(name, value);
  context.body = body;
}

/**
 * RFC 9110, section 9.3.7: OPTIONS names the verbs of a path. Throws a Problem for every other request that has no
 * route.
 */
function answerUnrouted(router: Router, context: Koa.Context): void {
  const { path, method } = context;
  const verbs = verbsOf(router, path);
  if (method !== 'OPTIONS' || verbs.length === 0) throw notRouted(router, method, path);
  context.status = 204;
  context.set('Allow', [...verbs, 'OPTIONS'].join(', '));
}
