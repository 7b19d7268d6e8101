import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Db } from '@vantage/storage';
import type { Context, Next } from 'koa';
import type { Authenticator } from '../auth/authenticate.ts';
import type { Session } from '../auth/session.ts';
import type { KeyLoad } from '../limits/key-load.ts';
import type { Stay } from '../limits/per-key-semaphore.ts';
import type { StrangerLoad, StrangerPurpose } from '../limits/stranger-load.ts';
import { answerDocument, answerProblem, type RestAnswer } from './answer.ts';
import type { ServedDocument } from './document.ts';
import { badKey, malformed, Problem, problemCode, wrongVerb } from './problem.ts';
import type { RequestTransactions } from './run-route.ts';

/** The answer of a route outside of `/v1.1`. */
export interface OuterReply<Body = string> {
  readonly status: 200 | 302 | 400 | 404 | 409 | 429 | 503;
  readonly type: string;
  readonly body: Body;
  /** Besides Content-Type, and Cache-Control where it is not `no-store`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A text or bytes that are sent as they are, or a document that is kept compressed. */
type AnyBody = string | ServedDocument | Buffer;

/** A request for a page with a form. */
export interface FormRequest {
  /** The form was sent; false: the page is shown. */
  readonly isSent: boolean;
  /** The path after the route's. */
  readonly rest: string;
  readonly query: URLSearchParams;
  /** The header Cookie. */
  readonly cookie: string | undefined;
  /** The caller's address. */
  readonly address: string;
  /** The fields of the form that was sent. */
  readonly fields: URLSearchParams;
}

/** A request whose path has a token instead of a key. Its verb does not matter. */
export interface TokenRequest {
  /** The path after the route's. */
  readonly rest: string;
  readonly query: URLSearchParams;
  /** The caller's address. */
  readonly address: string;
  /** The header User-Agent. */
  readonly userAgent: string;
  /** Reads the body whole, and returns its last `max` bytes. Throws a Problem where it is far longer. */
  readonly readBody: (max: number) => Promise<Buffer>;
}

/**
 * A route outside of `/v1.1`, for programs that expect a path and a form of their own (Prometheus, load balancers,
 * browsers). It answers GET. A form's path is the prefix of its pages' paths, and it answers POST too.
 */
export type OuterRoute = { readonly path: string } & (
  | {
      readonly needsKey: true;
      readonly run: (session: Session, query: URLSearchParams, db: Db) => Promise<OuterReply>;
    }
  | {
      readonly needsKey: false;
      /** It counts among the requests without a key; the questions of load balancers do not. */
      readonly isBounded: boolean;
      readonly run: () => Promise<OuterReply<string | ServedDocument>>;
    }
  | {
      readonly needsKey: 'signed';
      /** The slots that its requests use; `documents` unless given. */
      readonly purpose?: StrangerPurpose;
      readonly run: (request: FormRequest) => Promise<OuterReply<AnyBody>>;
    }
  | {
      /** The path is a prefix. The route bounds its requests itself. */
      readonly needsKey: 'token';
      readonly run: (request: TokenRequest) => Promise<OuterReply>;
    }
);

/**
 * Serves these routes and passes all other requests on. A key may also be sent as `Authorization:
 * Bearer` (RFC 6750, section 2.1). A missing or unknown key is HTTP 401 here.
 */
export function serveOuterRoutes({
  routes,
  read,
  authenticator,
  load,
  strangers,
  guard,
  addressOf,
  put,
}: {
  readonly routes: readonly OuterRoute[];
  readonly read: RequestTransactions['read'];
  readonly authenticator: Authenticator;
  readonly load: KeyLoad;
  readonly strangers: StrangerLoad;
  /** Ends the wait for a database that is unreachable. */
  readonly guard: <T>(work: Promise<T>) => Promise<T>;
  readonly addressOf: (request: IncomingMessage) => string;
  readonly put: (context: Context, answer: RestAnswer) => void;
}): (context: Context, next: Next) => Promise<void> {
  const identify = async ({ req, querystring }: Context) => {
    const query = new URLSearchParams(querystring);
    const bearer = /^Bearer +(\S+)$/i.exec(req.headers.authorization ?? '')?.[1];
    if (bearer !== undefined) query.append('api_key', bearer);
    const known = await authenticator.identify({ headers: req.headers, query, address: addressOf(req) });
    if (known === undefined)
      throw badKey('Send an API key, for example in the header "Authorization: Bearer <key>".');
    return known;
  };

  const answer = async (route: OuterRoute, context: Context): Promise<OuterReply<AnyBody>> => {
    const address = addressOf(context.req);
    if (route.needsKey === 'token') return route.run({ ...readToken(context, route.path), address });
    if (route.needsKey === 'signed') {
      const form = { ...(await readForm(context, route.path)), address };
      return strangers.run(
        route.purpose ?? 'documents',
        address,
        () => route.run(form),
        stayUntilSent(context.res),
      );
    }
    if (!route.needsKey)
      return route.isBounded
        ? strangers.run('documents', address, () => route.run(), stayUntilSent(context.res))
        : route.run();
    const { session } = await identify(context);
    const query = new URLSearchParams(context.querystring);
    const { scope } = session;
    const run = (db: Db) => route.run(session, query, db);
    const work = () =>
      read('reads', session.accountNo, (db) => (scope === undefined ? run(db) : db.inScope(scope, run)));
    return load.run(session.keyNo, work, stayUntilSent(context.res));
  };

  return async (context, next) => {
    const route = routes.find(({ path, needsKey }) =>
      isPrefix(needsKey) ? context.path.startsWith(path) : path === context.path,
    );
    if (route === undefined) return next();
    const methods = isPrefix(route.needsKey) ? ['GET', 'HEAD', 'POST'] : ['GET', 'HEAD'];
    if (!methods.includes(context.method)) throw refusedMethod(context.method, methods);
    try {
      put(context, await answerOuter(context, await guard(answer(route, context))));
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== problemCode.key) throw error;
      put(context, answerBadKey(error));
    }
  };
}

/** The path of a request as the log shows it: without the token that it may have. */
export function loggedPath(routes: readonly OuterRoute[], path: string): string {
  const route = routes.find((each) => each.needsKey === 'token' && path.startsWith(each.path));
  return route === undefined ? path : `${route.path}***`;
}

function isPrefix(needsKey: OuterRoute['needsKey']): boolean {
  return needsKey === 'signed' || needsKey === 'token';
}

/** A body of a call beyond this is refused. */
const maxReadBytes = 1024 * 1024;

function readToken({ req, path, querystring }: Context, begin: string): Omit<TokenRequest, 'address'> {
  return {
    rest: path.slice(begin.length),
    query: new URLSearchParams(querystring),
    userAgent: req.headers['user-agent'] ?? '',
    async readBody(max) {
      let end = Buffer.alloc(0);
      let length = 0;
      for await (const chunk of req.iterator({ destroyOnReturn: false })) {
        const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
        length += bytes.length;
        if (length > maxReadBytes)
          throw malformed(`A body has at most ${maxReadBytes} bytes.`, 'body_too_large');
        end = Buffer.concat([end, bytes]).subarray(-max);
      }
      return end;
    },
  };
}

async function answerOuter(
  context: Context,
  { status, type, body, headers }: OuterReply<AnyBody>,
): Promise<RestAnswer> {
  const sent = { 'Cache-Control': 'no-store', 'Content-Type': type, ...headers };
  if (typeof body === 'string' || Buffer.isBuffer(body)) return { status, body, headers: sent };
  return answerDocument(context, body, { status, headers: sent });
}

function answerBadKey(problem: Problem): RestAnswer {
  const refused = answerProblem(problem);
  const headers = { ...refused.headers, 'WWW-Authenticate': 'Bearer realm="vantage"' };
  return { ...refused, status: 401, headers };
}

const maxFormLength = 8_192;

/** The slot is occupied until the answer is sent or the caller has disconnected. */
function stayUntilSent(response: ServerResponse): Stay {
  const gone = new AbortController();
  const abort = () => gone.abort(new Error('the caller is gone'));
  if (response.closed) abort();
  else response.once('close', abort);
  return { signal: gone.signal, sent: gone.signal };
}

async function readForm(
  { req, path, method, querystring }: Context,
  begin: string,
): Promise<Omit<FormRequest, 'address'>> {
  const isSent = method === 'POST';
  const fields = isSent ? await readFields(req) : new URLSearchParams();
  const query = new URLSearchParams(querystring);
  return { isSent, rest: path.slice(begin.length), query, cookie: req.headers.cookie, fields };
}

/** The fields of a form as browsers send them (HTML, `application/x-www-form-urlencoded`). */
async function readFields(request: IncomingMessage): Promise<URLSearchParams> {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded')
    throw malformed('A form must be sent as application/x-www-form-urlencoded.');
  let text = '';
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (text.length > maxFormLength)
      throw malformed(`The form is longer than ${maxFormLength} characters.`, 'body_too_large');
  }
  return new URLSearchParams(text);
}

function refusedMethod(method: string, supported: readonly string[]): Problem {
  return wrongVerb(method, supported.filter((each) => each !== 'HEAD').join(', '));
}
