import { createHash } from 'node:crypto';
import type { Db } from '@vantage/storage';
import type { Authenticated } from '../auth/authenticate.ts';
import { requireLevel } from '../auth/session.ts';
import { readForm } from '../forms/answer-form.ts';
import { createResourceFinder, entityTag } from '../serve/entity-tag.ts';
import { badKey, invalid, Problem } from '../serve/problem.ts';
import { judgeBody } from '../serve/request-body.ts';
import type { ReadFailure } from '../serve/request-failure.ts';
import type { Reply, Route, RouteRequest } from '../serve/route.ts';
import { createRouteFinder } from '../serve/route-finder.ts';
import { type RunRoute, waitsFor } from '../serve/run-route.ts';
import type { Idempotency } from './idempotency.ts';
import type { IdempotentRequest } from './idempotency-record-store.ts';
import type { BatchOperation, OperationResult, Perform } from './perform.ts';

/** The parts that operations of a batch need. */
interface OperationDeps {
  readonly routes: readonly Route[];
  readonly run: RunRoute;
  readonly idempotency: Idempotency;
  readonly readFailure: ReadFailure;
}

/** The batch that has the operations. */
interface Batch {
  readonly request: RouteRequest;
  /** The sender: an earlier operation may have revoked the key or changed the account's zone. */
  readonly known: Authenticated | undefined;
  readonly requestId: string;
}

/**
 * Creates what performs the operations of a batch. Each is judged like a request of its own: route, key, level, query,
 * id, body. Differences are what an operation cannot have: headers, the key in its query, other forms than JSON,
 * streams, and a batch of its own.
 */
export function createOperations(deps: OperationDeps): (batch: Batch) => Perform {
  const findRoute = createRouteFinder(deps.routes);
  const resourceOf = createResourceFinder(deps.routes);
  const { run, idempotency, readFailure } = deps;

  const judge = async ({ request, known }: Batch, operation: BatchOperation, db: Db | undefined) => {
    const [path = '', ...search] = operation.path.split('?');
    const query = new URLSearchParams(search.join('?'));
    const { route, params } = findRoute(operation.method, path);
    if (query.has('api_key')) throw invalid([keyFault]);
    const session = await known?.again(db);
    if (known !== undefined && session === undefined) throw badKey();
    requireLevel(session, route.level);
    readForm(query, ['json']);
    if (db !== undefined && waitsFor(route, operation.body)) throw waitsFault(operation);
    const { address, signal, proxy } = request;
    const routeRequest: RouteRequest = {
      session,
      db: db ?? request.db,
      key: known?.key,
      address,
      signal,
      params,
      query,
      proxy,
      lastEventId: undefined,
      sessionNow: () => session,
      body: async () => judgeBody(operation.body),
    };
    return { route, routeRequest };
  };

  const answer = async (
    batch: Batch,
    operation: BatchOperation,
    how: Parameters<Perform>[1],
    last: { route?: Route },
  ): Promise<{ readonly body: unknown; readonly etag?: string }> => {
    const { signal } = batch.request;
    const { kept: parent } = how;
    const { route, routeRequest } = await judge(batch, operation, how.db);
    // Operations of one route add to the writes that are combined; those of another may read them.
    if (route !== last.route) await how.db?.batch?.flush();
    last.route = route;
    const work = async (on: Db): Promise<Reply<unknown>> => {
      const reply = await run(
        route,
        { ...routeRequest, db: on },
        { ifMatch: operation.ifMatch, idempotencyKey: undefined },
      );
      if (reply.stream !== undefined) throw invalid([streamFault]);
      return reply;
    };
    if (route.method === 'GET') return tagged(await work(routeRequest.db), resourceOf(route));
    if (parent === undefined || how.db !== undefined) return work(routeRequest.db);
    const kind = waitsFor(route, operation.body) ? 'lease' : 'transaction';
    return idempotency.once(batch.request.db, partOf(parent, how.part, operation), { kind, signal }, work);
  };

  return (batch) => {
    const last: { route?: Route } = {};
    return async (operation, how): Promise<OperationResult> => {
      try {
        const { body, etag } = await answer(batch, operation, how, last);
        return { Status: 200, Body: body, ...(etag === undefined ? {} : { ETag: etag }) };
      } catch (error) {
        // PostgreSQL aborts a transaction in which a statement failed.
        if (how.db !== undefined && !(error instanceof Problem || error instanceof URIError)) throw error;
        const { method, path } = operation;
        const problem = readFailure(error, { request_id: batch.requestId, method, path: path.slice(0, 200) });
        return { Status: problem.status, Body: problem.toJSON() };
      }
    };
  };
}

/** The body of a GET, with the ETag where it shows one resource. */
function tagged(
  { body }: Reply<unknown>,
  resource: ReturnType<ReturnType<typeof createResourceFinder>>,
): { readonly body: unknown; readonly etag?: string } {
  return resource === undefined ? { body } : { body, etag: entityTag(body, resource) };
}

const keyFault = {
  field: 'api_key',
  message:
    'cannot be sent in an operation, because the key of the batch counts for all of them; leave it out',
} as const;

const streamFault = {
  field: 'stream',
  message: 'cannot be sent in an operation, because a batch is one answer; send this request separately',
} as const;

function waitsFault({ method, path }: BatchOperation): Problem {
  const shown = `${method} ${path.slice(0, 200)}`;
  return invalid([
    {
      field: 'Path',
      message: `cannot be part of an atomic batch where it waits for others, as ${shown} does; send it separately or in a batch with "Atomic": false`,
    },
  ]);
}

/** The name and content of an operation whose batch was sent with an Idempotency-Key. */
function partOf(
  { accountNo, request }: IdempotentRequest,
  part: number,
  operation: BatchOperation,
): IdempotentRequest {
  const digest = (...texts: readonly string[]) => createHash('sha256').update(JSON.stringify(texts)).digest();
  const { method, path, body, ifMatch } = operation;
  return {
    accountNo,
    request: digest(request.toString('hex'), String(part)),
    content: digest(method, path, JSON.stringify(body ?? {}), ifMatch),
    partOf: request,
  };
}
