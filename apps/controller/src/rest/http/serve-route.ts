import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, clientNetwork, createTurnQueue, declareShare } from '@vantage/kernel';
import type Koa from 'koa';
import { createAccountLoad } from './account-load.ts';
import { type Answer, answerJsonDocument, answerReply, answerStream } from './answer.ts';
import type { Authenticator } from './authenticate.ts';
import { readAhead, readBody, strangerLimits } from './body.ts';
import { createResourceFinder, entityTag, holdsTag, readIfMatch, showsList, weakTag } from './entity-tag.ts';
import { type Form, formats, readForm } from './form.ts';
import { limitWrites } from './limit-writes.ts';
import type { createOperations } from './operation.ts';
import type { createOriginReader } from './origin.ts';
import type { KeyLoad, Stay } from './per-key-semaphore.ts';
import { badKey, invalid } from './problem.ts';
import { requestId } from './request-id.ts';
import type { Route, RouteRequest } from './route.ts';
import { isStream, type RunRoute } from './run-route.ts';
import { requireCsrfToken, requireLevel, type Session } from './session.ts';
import type { StrangerLoad } from './stranger-load.ts';
import { streamBody } from './stream-body.ts';
import { usageHeaders } from './usage-headers.ts';
import { mayGoOn, watchCaller } from './watch-caller.ts';

declareShare({
  name: 'answers_that_are_ready',
  limit: 'one in an iteration of the event loop',
  filledBy: 'keys, strangers',
  share: 'accounts and networks take turns',
});

/** One for all: an error notes its stack, and every request ends with this one. */
const callerGone = new Error('the caller is gone');

/** The parts that answering a route needs. */
interface RouteServerDeps {
  readonly routes: readonly Route[];
  readonly run: RunRoute;
  readonly performer: ReturnType<typeof createOperations>;
  readonly authenticator: Authenticator;
  readonly load: KeyLoad;
  readonly strangers: StrangerLoad;
  readonly readOrigin: ReturnType<typeof createOriginReader>;
  /** The address at which callers reach this API, without a slash at its end; '' where the operator set none. */
  readonly publicUrl: string;
  /** Ends answers that go on. */
  readonly ending: AbortSignal;
  readonly clock: Clock;
}

/**
 * Creates what answers a request whose route is found: key, level, Idempotency-Key, query, id, If-Match and body are
 * judged in this order. Throws a Problem.
 */
export function createRouteServer(
  deps: RouteServerDeps,
): (route: Route, context: Koa.Context) => Promise<Answer> {
  const { run, performer, authenticator, load, strangers, readOrigin, publicUrl, ending, clock } = deps;
  const resourceOf = createResourceFinder(deps.routes);
  const runAdmitted = limitWrites(run);
  // One caller may have many great answers ready at one moment: those of others, and new connections, come between.
  const answers = createTurnQueue({ perIteration: 1, later: setImmediate });
  const accounts = createAccountLoad();
  return async (route, context) => {
    const query = new URLSearchParams(context.querystring);
    const { address, user, proxied } = readOrigin(context.req);
    const known = await authenticator.identify({ headers: context.req.headers, query, address });
    let sessionNow = known?.session;
    requireCaller(route, known?.session, context.req);
    const keyNo = known?.session.keyNo;
    const { stay, release, leave } = stayOf(context.res);
    context.set(usageHeaders(route, query, known && load.left(known.session.keyNo)));
    const request: RouteRequest = {
      session: known?.session,
      key: known?.key,
      address,
      proxy: proxied ? { user } : undefined,
      params: context['params'],
      query,
      lastEventId: context.get('Last-Event-ID') || undefined,
      sessionNow: () => sessionNow,
      body: () => readBody(context.req, keyNo === undefined ? strangerLimits : route.bodyLimits),
      signal: stay.signal,
    };
    const form = formOf(context, route, query);
    const conditions = {
      ifMatch: readIfMatch(context.req.headers['if-match']),
      idempotencyKey:
        route.method === 'POST' ? readIdempotencyKey(context.req.headers['idempotency-key']) : undefined,
    };
    const { session } = request;
    const perform = performer({ request, known, requestId: requestId(context) });
    const stillAllowed = async () => {
      if (known !== undefined && !mayGoOn(known.session, await known.again(), route.level)) throw badKey();
    };
    const admitted = () => runAdmitted(route, { ...request, perform }, { conditions, stay, stillAllowed });
    const { admit = (_, run) => run() } = route;
    const work = () => (session === undefined ? admitted() : admit(session, admitted, stay));
    const over = createEnd(context.res, leave);
    if (known !== undefined && outlivesCaller(route)) {
      const onNow = (now: Session) => {
        sessionNow = now;
      };
      void watchCaller({ known, route, onNow, onEnded: () => over.end(), closed: stay.signal, clock });
    }
    const answerOf = async (reply: Awaited<ReturnType<typeof work>>): Promise<Answer> => {
      if (reply.document !== undefined) return answerJsonDocument(context, reply.document, form);
      await new Promise<void>((resolve) =>
        answers.add(`${session?.accountNo ?? clientNetwork(address)}`, resolve),
      );
      return answerTagged(context, {
        route,
        reply,
        form,
        query,
        path: `${publicUrl}${context.path}`,
        resource: resourceOf(route, 'answers'),
      });
    };
    if (session !== undefined && route.method === 'GET' && !isStream(route, request)) {
      const read = async () => answerOf(await work());
      const { accountNo } = session;
      return over.unless(
        load.run(session.keyNo, () => accounts.run(route, accountNo, read, stay.signal), stay),
      );
    }
    if (keyNo === undefined) {
      const { body } = await readAhead(request);
      const purpose = route.method === 'GET' ? 'documents' : 'signIn';
      const open = () =>
        runAdmitted(route, { ...request, perform, body }, { conditions, stay, stillAllowed });
      return answerOf(await strangers.run(purpose, address, open, stay));
    }
    const reply = await over.unless(load.run(keyNo, work, stay));
    if (reply.stream !== undefined && context.method === 'HEAD') return answerStream('', reply.streamType);
    if (reply.stream !== undefined) {
      load.stream(keyNo, stay.signal);
      release(); // a stream has a place of its own
      const { body, end } = streamBody({ chunks: reply.stream, response: context.res, ending, clock });
      over.by(end);
      return answerStream(body, reply.streamType);
    }
    return answerOf(reply);
  };
}

/** Throws a Problem where the caller may not use the route (1001, 1002), or sends no token of its session (1002). */
function requireCaller({ level }: Route, session: Session | undefined, request: IncomingMessage): void {
  if (level !== 'none' && session === undefined) throw badKey();
  requireLevel(session, level);
  if (level !== 'none' && session !== undefined) requireCsrfToken(session, request);
}

/** The form that is asked for by the query, or by Accept. Throws a Problem (1004). */
function formOf(context: Koa.Context, { names }: Route, query: URLSearchParams): Form {
  if (names === undefined) return readForm(query, ['json']);
  context.vary('Accept');
  return readForm(query, formats, context.get('Accept'));
}

/** Reads the header Idempotency-Key. Throws a Problem (1004) when it is no key; undefined: it was not sent. */
function readIdempotencyKey(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const key = String(header);
  if (/^[\x21-\x7e]([\x20-\x7e]{0,126}[\x21-\x7e])?$/.test(key)) return key;
  throw invalid([
    {
      field: 'Idempotency-Key',
      message: `must be 1 to 128 printable ASCII characters, for example 5d8f1b1e-6f5c-4b0e-9a41-0d2f6c1f7f3a, but ${key === '' ? 'an empty text' : `a text of ${key.length} characters`} was sent`,
    },
  ]);
}

/**
 * Whether a request may still be open when its caller has ended. A change is a transaction: it is judged when it begins
 * and then done as a whole, and it may be the one that ends its caller.
 */
function outlivesCaller({ method, level, waits, path }: Route): boolean {
  // The operations of a batch are judged one by one.
  return level !== 'none' && (method === 'GET' || waits !== undefined) && path !== '/batch';
}

/** Ends the answer of a caller who has ended: a refusal where none was begun, else it is cut. */
function createEnd(response: ServerResponse, leave: () => void) {
  const refused = Promise.withResolvers<never>();
  refused.promise.catch(() => {});
  let end = () => {
    if (response.headersSent) response.destroy();
    refused.reject(badKey());
    leave();
  };
  return {
    end: () => end(),
    /** From now on it ends so. */
    by(another: () => void) {
      end = another;
    },
    /** The result of the work, or the refusal of a caller who ends before it. */
    unless<T>(work: Promise<T>): Promise<T> {
      return Promise.race([work, refused.promise]);
    },
  };
}

/**
 * How long a request has its places: until its answer is sent, or `release` is called before. `leave` is for a caller
 * who is gone.
 */
function stayOf(response: Koa.Context['res']): {
  readonly stay: Stay;
  readonly release: () => void;
  readonly leave: () => void;
} {
  const gone = new AbortController();
  const sent = new AbortController();
  const leave = () => {
    gone.abort(callerGone);
    sent.abort(callerGone);
  };
  if (response.closed) leave();
  else response.once('close', leave);
  return { stay: { signal: gone.signal, sent: sent.signal }, leave, release: () => sent.abort(callerGone) };
}

/** The answer, with the ETag of the resource or list where it shows one; 304 where the caller has it. */
function answerTagged(
  context: Koa.Context,
  {
    resource,
    ...asked
  }: Parameters<typeof answerReply>[0] & {
    readonly resource: ReturnType<ReturnType<typeof createResourceFinder>>;
  },
): Answer {
  const { route, reply, form } = asked;
  const answer = answerReply(asked);
  const shown = route.method === 'GET' || route.response === resource?.read.response ? resource : undefined;
  const isWeak = reply.tagged !== undefined || showsList(route);
  if (shown === undefined && !isWeak) return answer;
  const tag =
    isWeak || shown === undefined
      ? weakTag(reply.tagged ?? [textOf(answer.body), answer.headers['Link'] ?? '', `${reply.total}`])
      : entityTag(reply.body, shown);
  // A strong one stands for the same bytes, so the other forms have a weak one.
  const headers = { ...answer.headers, ETag: isWeak || form.format === 'json' ? tag : `W/${tag}` };
  return route.method === 'GET' && holdsTag(context.get('If-None-Match'), tag)
    ? { status: 304, headers: withoutPages(headers), body: '' }
    : { ...answer, headers };
}

/** Bodies of lists are texts. */
function textOf(body: Answer['body']): string {
  return typeof body === 'string' ? body : '';
}

/** The client has the pages' headers with the answer that it keeps. */
function withoutPages({
  'X-Total-Count': _total,
  Link: _link,
  ...headers
}: Answer['headers']): Answer['headers'] {
  return headers;
}
