import type { IncomingMessage } from 'node:http';
import { type Clock, clientNetwork } from '@vantage/kernel';
import type { Db } from '@vantage/storage';
import type Koa from 'koa';
import type { Authenticator } from '../auth/authenticate.ts';
import { requireCsrfToken } from '../auth/csrf-token.ts';
import { requireLevel, type Session } from '../auth/session.ts';
import type { createOperations } from '../batch/operation.ts';
import { type AnswerForm, formats, readForm } from '../forms/answer-form.ts';
import { createAccountLoad } from '../limits/account-load.ts';
import type { KeyLoad } from '../limits/key-load.ts';
import { limitWrites } from '../limits/limit-writes.ts';
import type { StrangerLoad } from '../limits/stranger-load.ts';
import { answerJsonDocument, answerStream, type RestAnswer } from './answer.ts';
import { answerTagged } from './answer-tagged.ts';
import { createAnswerTurns } from './answer-turns.ts';
import { createResourceFinder, readIfMatch } from './entity-tag.ts';
import type { createOriginReader } from './origin.ts';
import { badKey, invalid } from './problem.ts';
import { readAhead, readBody, strangerLimits } from './request-body.ts';
import { requestId } from './request-id.ts';
import { createCallerEnd, stayOf } from './request-life.ts';
import type { Route, RouteRequest } from './route.ts';
import type { FoundRoute } from './route-finder.ts';
import { isStream, type RunRoute } from './run-route.ts';
import { streamBody } from './stream-body.ts';
import { usageHeaders } from './usage-headers.ts';
import { mayGoOn, watchCaller } from './watch-caller.ts';

interface RouteServerDeps {
  readonly routes: readonly Route[];
  readonly db: Db;
  readonly run: RunRoute;
  readonly performer: ReturnType<typeof createOperations>;
  readonly authenticator: Authenticator;
  readonly load: KeyLoad;
  readonly strangers: StrangerLoad;
  readonly readOrigin: ReturnType<typeof createOriginReader>;
  /** VANTAGE_PUBLIC_URL without the slash at its end; '' where it is not set. */
  readonly publicUrl: string;
  /** Ends streams. */
  readonly ending: AbortSignal;
  readonly clock: Clock;
}

/**
 * Answers a request whose route is found. It validates key, level, Idempotency-Key, query, id, If-Match and body, in
 * this order. Throws a Problem.
 */
export function createRouteServer(
  deps: RouteServerDeps,
): (found: FoundRoute, context: Koa.Context) => Promise<RestAnswer> {
  const { run, performer, authenticator, load, strangers, readOrigin, publicUrl, ending, clock } = deps;
  const resourceOf = createResourceFinder(deps.routes);
  const runAdmitted = limitWrites(run);
  const inTurn = createAnswerTurns();
  const accounts = createAccountLoad();
  return async ({ route, params }, context) => {
    const query = new URLSearchParams(context.querystring);
    const { address, user, proxied } = readOrigin(context.req);
    const known = await authenticator.identify({ headers: context.req.headers, query, address });
    let sessionNow = known?.session;
    requireCaller(route, known?.session, context.req);
    const keyNo = known?.session.keyNo;
    const { stay, release, leave } = stayOf(context.res, {
      mayRelease: route.streams !== undefined,
    });
    context.set(usageHeaders(route, query, known && load.left(known.session.keyNo)));
    const request: RouteRequest = {
      session: known?.session,
      db: deps.db,
      key: known?.key,
      address,
      proxy: proxied ? { user } : undefined,
      params,
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
    const callerEnd = createCallerEnd(context.res, leave);
    if (known !== undefined && outlivesCaller(route)) {
      const onNow = (now: Session) => {
        sessionNow = now;
      };
      watchCaller({ known, route, onNow, onEnded: () => callerEnd.end(), closed: stay.signal, clock });
    }
    const answerOf = (reply: Awaited<ReturnType<typeof work>>): Promise<RestAnswer> => {
      if (reply.document !== undefined) return answerJsonDocument(context, reply.document, form);
      const path = `${publicUrl}${context.path}`;
      const resource = resourceOf(route, 'answers');
      return inTurn(`${session?.accountNo ?? clientNetwork(address)}`, () =>
        answerTagged(context, { route, reply, form, query, path, resource }),
      );
    };
    if (session !== undefined && route.method === 'GET' && !isStream(route, request)) {
      const read = async () => answerOf(await work());
      const { accountNo } = session;
      return callerEnd.race(
        load.run(session.keyNo, () => accounts.run({ route, query, accountNo }, read, stay.signal), stay),
      );
    }
    if (keyNo === undefined) {
      const { body } = await readAhead(request);
      const purpose = route.method === 'GET' ? 'documents' : 'signIn';
      const open = () =>
        runAdmitted(route, { ...request, perform, body }, { conditions, stay, stillAllowed });
      return answerOf(await strangers.run(purpose, address, open, stay));
    }
    const reply = await callerEnd.race(load.run(keyNo, work, stay));
    if (reply.stream !== undefined && context.method === 'HEAD') return answerStream('', reply.streamType);
    if (reply.stream !== undefined) {
      load.stream(keyNo, stay.signal);
      release(); // streams have slots of their own
      const { body, end } = streamBody({ chunks: reply.stream, response: context.res, ending, clock });
      callerEnd.endBy(end);
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

/** The form that the query requests, else Accept. Throws a Problem (1004). */
function formOf(context: Koa.Context, { names }: Route, query: URLSearchParams): AnswerForm {
  if (names === undefined) return readForm(query, ['json']);
  context.vary('Accept');
  return readForm(query, formats, context.get('Accept'));
}

/** Reads the header Idempotency-Key; undefined where it was not sent. Throws a Problem (1004) for an invalid key. */
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
 * Whether a request may still be open when its key or session has ended. A change is one transaction: it is authorised
 * when it begins, and it may be the change that ends its own caller.
 */
function outlivesCaller({ method, level, waits, path }: Route): boolean {
  // Each operation of a batch is authorised separately.
  return level !== 'none' && (method === 'GET' || waits !== undefined) && path !== '/batch';
}
