import type { Clock } from '@vantage/kernel';
import type Koa from 'koa';
import { type Answer, answerReply, answerStream } from './answer.ts';
import type { Authenticator } from './authenticate.ts';
import { readBody } from './body.ts';
import { createResourceFinder, entityTag, holdsTag, nothingToMatch, revisionProblem } from './entity-tag.ts';
import { formats, readForm } from './form.ts';
import { readQuery } from './input.ts';
import type { KeyLoad } from './key-load.ts';
import type { createOriginReader } from './origin.ts';
import { badKey, Problem, problemCode } from './problem.ts';
import type { Reply, Route, RouteRequest } from './route.ts';
import { streamBody } from './stream.ts';

/** How requests use transactions. */
export interface RequestTransactions {
  /** See `Db.inTransaction`. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Keeps everybody else from changing anything of the account until the transaction around the caller ends. */
  lockAccount(accountNo: number): Promise<void>;
}

/** The parts that answering a route needs. */
interface RouteServerDeps {
  readonly routes: readonly Route[];
  readonly transactions: RequestTransactions;
  readonly authenticator: Authenticator;
  readonly load: KeyLoad;
  readonly readOrigin: ReturnType<typeof createOriginReader>;
  /** Ends answers that go on. */
  readonly ending: AbortSignal;
  readonly clock: Clock;
}

/** Makes what answers a request whose route is found: key, level, query, id, If-Match and body are judged in this order. Throws a Problem. */
export function createRouteServer(
  deps: RouteServerDeps,
): (route: Route, context: Koa.Context) => Promise<Answer> {
  const { authenticator, load, readOrigin, ending, clock } = deps;
  const resourceOf = createResourceFinder(deps.routes);
  const change = createChanger(deps);
  return async (route, context) => {
    const query = new URLSearchParams(context.querystring);
    const { address } = readOrigin(context.req);
    const identify = () => authenticator.identify({ headers: context.req.headers, query, address });
    let known = await identify();
    if (route.level !== 'none' && known === undefined) throw badKey();
    if (route.level === 'UW' && known?.session.level !== 'UW')
      throw new Problem(problemCode.denied, 'Access denied.');
    const gone = new AbortController();
    context.res.once('close', () => gone.abort(new Error('the caller is gone')));
    const request: RouteRequest = {
      session: known?.session,
      key: known?.key,
      address,
      params: context['params'],
      query,
      lastEventId: context.get('Last-Event-ID') || undefined,
      sessionNow: () => known?.session,
      body: () => readBody(context.req),
      signal: gone.signal,
    };
    const form = readForm(query, route.names === undefined ? ['json'] : formats);
    const keyNo = known?.session.keyNo;
    const work = () =>
      route.method === 'GET' ? route.run(request) : change(route, request, context.get('If-Match'));
    const reply = keyNo === undefined ? await work() : await load.run(keyNo, work, gone.signal);
    if (reply.stream !== undefined && context.method === 'HEAD') return answerStream('');
    if (reply.stream !== undefined) {
      if (keyNo !== undefined) load.stream(keyNo, gone.signal);
      const stillAllowed = async () => {
        known = await identify();
      };
      const { stream: chunks } = reply;
      return answerStream(streamBody({ chunks, response: context.res, ending, stillAllowed, clock }));
    }
    const resource = resourceOf(route);
    const showsIt =
      resource !== undefined && (route.method === 'GET' || route.response === resource.read.response);
    const tag = showsIt ? entityTag(reply.body, resource) : undefined;
    const answer = answerReply({ route, reply, form, path: context.path, query });
    if (tag === undefined) return answer;
    const headers = { ...answer.headers, ETag: tag };
    return route.method === 'GET' && holdsTag(context.get('If-None-Match'), tag)
      ? { status: 304, headers, body: '' }
      : { ...answer, headers };
  };
}

/**
 * Makes what runs a route that changes something. With If-Match, the comparison and the change are one transaction, which locks the account
 * first; every change of the catalog does. So nobody, at no controller, changes the resource between both.
 */
function createChanger({ routes, transactions }: Pick<RouteServerDeps, 'routes' | 'transactions'>) {
  const resourceOf = createResourceFinder(routes);
  const compare = async (route: Route, request: RouteRequest, ifMatch: string): Promise<void> => {
    const resource = resourceOf(route);
    if (resource === undefined) throw nothingToMatch();
    readQuery(route.query, request.query);
    const read = { ...request, query: new URLSearchParams(), body: async () => ({}) };
    const problem = revisionProblem(ifMatch, entityTag((await resource.read.run(read)).body, resource));
    if (problem !== undefined) throw problem;
  };
  return async (route: Route, request: RouteRequest, ifMatch: string): Promise<Reply<unknown>> => {
    const { session } = request;
    if (ifMatch === '' || session === undefined) return route.run(request);
    const ahead = { ...request, body: await readAhead(request) };
    if (route.waits === true) {
      await compare(route, ahead, ifMatch);
      return route.run(ahead);
    }
    return transactions.run(async () => {
      await transactions.lockAccount(session.accountNo);
      await compare(route, ahead, ifMatch);
      return route.run(ahead);
    });
  };
}

/** Reads the body before the transaction, so that a slow caller keeps no connection. A fault of it comes up where the body is judged. */
async function readAhead({ body }: RouteRequest): Promise<RouteRequest['body']> {
  try {
    const sent = await body();
    return async () => sent;
  } catch (error) {
    return async () => {
      throw error;
    };
  }
}
