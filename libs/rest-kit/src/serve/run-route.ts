import { type Db, ScopeRefusal } from '@vantage/storage';
import { requireOpenToScope, scopeProblem } from '../auth/limited-callers.ts';
import { requireLevel } from '../auth/session.ts';
import { type Idempotency, keptRequest } from '../batch/idempotency.ts';
import { readQuery } from '../forms/field.ts';
import { createResourceFinder, entityTag, nothingToMatch, revisionProblem } from './entity-tag.ts';
import { readAhead } from './request-body.ts';
import type { Reply, Route, RouteRequest } from './route.ts';

/** The transactions of requests. */
export interface RequestTransactions {
  /** For requests that are no reads of an account. */
  readonly db: Db;
  /** Gives a read of this account its connections; where it reads history, they may be those of a replica. */
  readonly read: <T>(
    lane: 'reads' | 'history',
    accountNo: number,
    work: (db: Db) => Promise<T>,
  ) => Promise<T>;
  /** See `Replica.noteWrite`. */
  readonly noteWrite: (accountNo: number) => void;
  /** Keeps everybody else from changing anything of the account until the transaction around the caller ends. */
  lockAccount(db: Db, caller: { readonly accountNo: number; readonly keyNo: number }): Promise<void>;
}

/** The headers that make a request conditional. */
interface Conditions {
  /** Empty: none was sent. */
  readonly ifMatch: string;
  readonly idempotencyKey: string | undefined;
}

/** Runs a request that was judged up to the key's level. Throws a Problem. */
export type RunRoute = (
  route: Route,
  request: RouteRequest,
  conditions: Conditions,
) => Promise<Reply<unknown>>;

/**
 * Creates it. A repetition is answered before anything else of the request is judged; If-Match is judged after query
 * and id, before the body.
 */
export function createRouteRunner(deps: {
  readonly routes: readonly Route[];
  readonly transactions: RequestTransactions;
  readonly idempotency: Idempotency;
}): RunRoute {
  const change = createChanger(deps);
  const run: RunRoute = async (route, request, { ifMatch, idempotencyKey }) => {
    const { session, params, query, signal } = request;
    if (route.method === 'GET') return route.run(request);
    // The answer to a sign-in is not stored, because it contains a secret.
    if (
      route.method !== 'POST' ||
      route.level === 'none' ||
      idempotencyKey === undefined ||
      session === undefined
    )
      return change(route, request, ifMatch);
    const { body, sent } = await readAhead(request);
    const ahead = { ...request, body };
    if (sent === undefined) return change(route, ahead, ifMatch);
    const { method, path } = route;
    const stored = keptRequest(idempotencyKey, { session, method, path, params, query, body: sent });
    const kind = waitsFor(route, sent) ? 'lease' : 'transaction';
    return deps.idempotency.once(request.db, stored, { kind, signal }, (db) =>
      change(route, { ...ahead, db, kept: stored }, ifMatch),
    );
  };
  return chooseServer(requireLevelOfBody(limitToScope(run)), deps.transactions);
}

/** Judges the level that a body needs before anything else of the request. */
function requireLevelOfBody(run: RunRoute): RunRoute {
  return async (route, request, conditions) => {
    if (route.levelOf === undefined) return run(route, request, conditions);
    const { body, sent } = await readAhead(request);
    requireLevel(request.session, route.levelOf(sent));
    return run(route, { ...request, body }, conditions);
  };
}

/**
 * Reads have connections of their own, and those of history may go to a replica; what a request writes, its account
 * reads from the primary at first.
 */
function chooseServer(run: RunRoute, { read, noteWrite }: RequestTransactions): RunRoute {
  return async (route, request, conditions) => {
    const { session } = request;
    if (session === undefined) return run(route, request, conditions);
    if (route.method === 'GET') {
      // A batch reads what it wrote before.
      if (request.db.isInTransaction()) return run(route, request, conditions);
      return read(
        route.readsHistory === true && !isStream(route, request) ? 'history' : 'reads',
        session.accountNo,
        (db) => run(route, { ...request, db }, conditions),
      );
    }
    try {
      return await run(route, request, conditions);
    } finally {
      noteWrite(session.accountNo);
    }
  };
}

/** Whether the answer is a stream. */
export function isStream(route: Route, request: Pick<RouteRequest, 'query'>): boolean {
  return route.streams !== undefined && request.query.has('stream');
}

/**
 * Limits callers to their tags, here only: everything that a request of such a caller reads and writes runs in
 * `inScope`. A request that waits for others cannot run in a transaction, so only what its path names is found there,
 * and it gets `scoped` for the rest; so does a stream. The operations of a batch come here one by one.
 */
function limitToScope(run: RunRoute): RunRoute {
  return async (route, request, conditions) => {
    const scope = route.level === 'none' ? undefined : request.session?.scope;
    if (scope === undefined) return run(route, request, conditions);
    requireOpenToScope(route);
    const { body, sent } =
      route.method === 'GET' ? { ...request, sent: undefined } : await readAhead(request);
    const ahead = { ...request, body };
    const scoped = async <T>(work: (db: Db) => Promise<T>): Promise<T> => {
      try {
        return await request.db.inScope(scope, work);
      } catch (error) {
        if (error instanceof ScopeRefusal) throw scopeProblem(error.reason);
        throw error;
      }
    };
    if (!isStream(route, ahead) && !waitsFor(route, sent))
      return scoped((db) => run(route, { ...ahead, db }, conditions));
    await scoped(async (db) => route.find?.({ ...ahead, db }));
    return run(route, { ...ahead, scoped }, conditions);
  };
}

/**
 * Runs a route that changes something. With If-Match, the comparison and the change are one transaction, which locks
 * the account first, as every change of the catalog does. So no other request, at any controller, changes the resource
 * between the two.
 */
function createChanger({
  routes,
  transactions,
}: {
  readonly routes: readonly Route[];
  readonly transactions: RequestTransactions;
}) {
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
    const { body, sent } = await readAhead(request);
    const ahead = { ...request, body };
    if (waitsFor(route, sent)) {
      const { db, scoped = (work) => work(db) } = ahead;
      await scoped((limited) => compare(route, { ...ahead, db: limited }, ifMatch));
      return route.run(ahead);
    }
    return ahead.db.inTransaction(async (db) => {
      await transactions.lockAccount(db, session);
      await compare(route, { ...ahead, db }, ifMatch);
      return route.run({ ...ahead, db });
    });
  };
}

/** Whether a request with this body cannot run inside a transaction. */
export function waitsFor({ waits = false }: Route, body: unknown): boolean {
  return typeof waits === 'function' ? waits(body) : waits;
}
