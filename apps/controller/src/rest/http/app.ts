import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import Router from '@koa/router';
import type { Clock, Logger, LogSummary } from '@vantage/kernel';
import type { Context, Next } from 'koa';
import Koa from 'koa';
import { type Answer, answerProblem } from './answer.ts';
import type { Authenticator } from './authenticate.ts';
import { readAway } from './body.ts';
import { compressAnswer } from './compress.ts';
import { createFailureReader } from './failure.ts';
import type { Idempotency } from './idempotency.ts';
import { createOperations } from './operation.ts';
import { createOriginReader } from './origin.ts';
import { limitOuterRoutes, type OuterRoute, serveOuterRoutes } from './outer-routes.ts';
import { createKeyLoad } from './per-key-semaphore.ts';
import { httpsRequired, malformed } from './problem.ts';
import { nameRequest, requestId } from './request-id.ts';
import type { Route } from './route.ts';
import { basePath, notRouted, routerPath, verbsOf } from './route-finder.ts';
import { createRouteRunner, type RequestTransactions } from './run-route.ts';
import { createRouteServer } from './serve-route.ts';
import { createSiteServer, type Site } from './serve-site.ts';
import { createStorageGuard } from './storage-guard.ts';
import { createStrangerLoad } from './stranger-load.ts';

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
  readonly cors: Parameters<typeof createCors>[0];
  /** Resolves when the database answers. */
  readonly askStorage: () => Promise<unknown>;
  /** Ends answers that go on. */
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
  const answerPages = createCors(cors);
  const koa = new Koa();
  const router = new Router({ prefix: basePath, sensitive: true });

  const readFailure = createFailureReader(summary);
  const run = createRouteRunner({ routes, transactions, idempotency });
  const performer = createOperations({ routes, run, idempotency, readFailure });
  const serve = createRouteServer({
    routes,
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

  for (const route of routes) {
    router.register(routerPath(route), [route.method], async (context) => {
      onRoute(context.req, `${basePath}${route.path}`);
      put(context, await guard(serve(route, context)));
    });
  }

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
      const { method, path } = context;
      put(context, answerProblem(readFailure(error, { request_id: requestId(context), method, path })));
      if (!context.req.complete) readAway(context.req);
    } finally {
      const ms = Math.round(clock.monoMs() - from);
      const { method, path, status } = context;
      log.debug({ request_id: requestId(context), method, path, status, ms }, 'request');
    }
  });
  const addressOf = (request: IncomingMessage) => readOrigin(request).address;
  const limited = limitOuterRoutes(outerRoutes, transactions);
  const outer = { routes: limited, authenticator, load, strangers, guard, addressOf, put };
  koa.use(serveOuterRoutes(outer));
  koa.use(createSiteServer({ site, taken: outerRoutes.map(({ path }) => path), put }));
  koa.use(router.routes());
  const callback = koa.callback();
  return {
    handler: (request, response) => void callback(request, response),
    clientError: createClientErrorAnswer(readOrigin),
  };
}

function put(context: Koa.Context, { status, headers, body, isOwn = false }: Answer): void {
  context.status = status;
  context.state['isOwn'] = isOwn;
  // Before the body: Koa reads the begin of a text to guess its type where it has none.
  for (const [name, value] of Object.entries(headers)) context.set(name, value);
  context.body = body;
}

/**
 * RFC 9112, section 6.1: HTTP/1.0 has no Transfer-Encoding, so a proxy before us may see the end of such a request
 * elsewhere.
 */
function validateFraming({ headers, httpVersion }: IncomingMessage, response: ServerResponse): void {
  if (httpVersion !== '1.0' || headers['transfer-encoding'] === undefined) return;
  response.shouldKeepAlive = false;
  throw malformed(
    'A request of HTTP/1.0 cannot have the header Transfer-Encoding. Send Content-Length, or HTTP/1.1.',
  );
}

/** RFC 9112, section 3.2: exactly one. */
function validateHost({ headersDistinct, httpVersion }: IncomingMessage): void {
  const hosts = headersDistinct['host']?.length ?? 0;
  if (hosts > 1) throw malformed(`The header Host was sent ${hosts} times. Send it once.`);
  if (hosts === 0 && httpVersion !== '1.0') throw malformed('The header Host is missing.');
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

/** After the answer a client has this long to read it and to close the connection. */
const lingerMs = 5_000;

/**
 * Creates the answer to what node could not parse (a header too long, no HTTP), for the server's `clientError`: in the
 * API's shape, and in clear always that HTTPS is required. What the client still sends is read away, else a reset could
 * take the answer from it.
 */
function createClientErrorAnswer(
  readOrigin: ReturnType<typeof createOriginReader>,
): (error: Error, socket: Duplex) => void {
  return (error, socket) => {
    if (socket.writableEnded && !socket.destroyed) return; // answered: this is what still came
    if (!socket.writable || ('code' in error && error.code === 'ECONNRESET')) {
      socket.destroy();
      return;
    }
    const { status, headers, body } = answerProblem(problemOf(error, socket, readOrigin));
    const lines = { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' };
    const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} Bad Request\r\n${head.join('')}\r\n${body}`);
    const cut = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(cut));
    socket.resume();
  };
}

function problemOf(error: Error, socket: Duplex, readOrigin: ReturnType<typeof createOriginReader>) {
  if (socket instanceof Socket) {
    const { secure, proxied } = readOrigin({ socket, headers: {} });
    if (!secure && !proxied) return httpsRequired();
  }
  const tooLong = 'code' in error && error.code === 'HPE_HEADER_OVERFLOW';
  return malformed(
    tooLong ? 'The request line or a header is too long.' : 'This is not a valid HTTP request.',
  );
}

/** Headers of answers that pages may read besides the few that the standard lets them read. */
const readable = [
  'Content-Disposition',
  'Deprecation',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Vantage-Created',
  'Vantage-Warning',
  'X-Request-Id',
  'X-Total-Count',
];

/** Headers of requests that pages may send. */
const writable = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'Service-API-Key',
  'X-Request-Id',
];

/** How long a browser may remember what it was allowed, seconds. */
const rememberS = 600;

/**
 * Opens the API to web pages of these origins (`https://status.example.org`; the Fetch standard, section "HTTP-CORS
 * protocol"). A browser's question before a request (`OPTIONS` with Access-Control-Request-Method) is answered without
 * a key, because browsers send none with it.
 */
function createCors({
  origins,
  keyHeaders,
}: {
  readonly origins: readonly string[];
  /** Headers besides Service-API-Key that carry the key. */
  readonly keyHeaders: readonly string[];
}): (context: Context, next: Next) => Promise<void> {
  const allowed = new Set(origins);
  return async (context, next) => {
    const origin = context.get('Origin');
    if (allowed.size > 0) context.vary('Origin');
    if (!allowed.has(origin)) return next();
    context.set({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers': readable.join(', '),
    });
    if (context.method !== 'OPTIONS' || context.get('Access-Control-Request-Method') === '') return next();
    context.set({
      'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, DELETE',
      'Access-Control-Allow-Headers': [...writable, ...keyHeaders].join(', '),
      'Access-Control-Max-Age': String(rememberS),
    });
    context.status = 204;
  };
}
