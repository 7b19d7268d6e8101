import { createHash } from 'node:crypto';
import type { Authenticated } from './authenticate.ts';
import { judgeBody } from './body.ts';
import { createResourceFinder, entityTag } from './entity-tag.ts';
import type { ReadFailure } from './failure.ts';
import { readForm } from './form.ts';
import type { Idempotency } from './idempotency.ts';
import type { IdempotentRequest } from './idempotency-record-store.ts';
import type { Operation, OperationResult, Perform } from './perform.ts';
import { badKey, invalid, Problem } from './problem.ts';
import type { Reply, Route, RouteRequest } from './route.ts';
import { createRouteFinder } from './route-finder.ts';
import { type RunRoute, waitsFor } from './run-route.ts';
import { requireLevel } from './session.ts';

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
  /** Who sends it: a key may be revoked, and the account's zone changed, meanwhile. */
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

  const judge = async ({ request, known }: Batch, operation: Operation, atomic: boolean) => {
    const [path = '', ...search] = operation.path.split('?');
    const query = new URLSearchParams(search.join('?'));
    const { route, params } = findRoute(operation.method, path);
    if (query.has('api_key')) throw invalid([keyFault]);
    const session = await known?.again();
    if (known !== undefined && session === undefined) throw badKey();
    requireLevel(session, route.level);
    readForm(query, ['json']);
    if (atomic && waitsFor(route, operation.body)) throw waitsFault(operation);
    const { address, signal, proxy } = request;
    const own: RouteRequest = {
      session,
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
    return { route, own };
  };

  const answer = async (
    batch: Batch,
    operation: Operation,
    how: Parameters<Perform>[1],
  ): Promise<{ readonly body: unknown; readonly etag?: string }> => {
    const { signal } = batch.request;
    const { kept: parent } = how;
    const { route, own } = await judge(batch, operation, how.atomic);
    const work = async (): Promise<Reply<unknown>> => {
      const reply = await run(route, own, { ifMatch: operation.ifMatch, idempotencyKey: undefined });
      if (reply.stream !== undefined) throw invalid([streamFault]);
      return reply;
    };
    if (route.method === 'GET') return tagged(await work(), resourceOf(route));
    if (parent === undefined || how.atomic) return work();
    const kind = waitsFor(route, operation.body) ? 'lease' : 'transaction';
    return idempotency.once(partOf(parent, how.part, operation), { kind, signal }, work);
  };

  return (batch) =>
    async (operation, how): Promise<OperationResult> => {
      try {
        const { body, etag } = await answer(batch, operation, how);
        return { Status: 200, Body: body, ...(etag === undefined ? {} : { ETag: etag }) };
      } catch (error) {
        // A transaction in which a statement failed cannot go on.
        if (how.atomic && !(error instanceof Problem || error instanceof URIError)) throw error;
        const { method, path } = operation;
        const problem = readFailure(error, { request_id: batch.requestId, method, path: path.slice(0, 200) });
        return { Status: problem.status, Body: problem.toJSON() };
      }
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
  message: 'cannot be sent in an operation, because a batch is one answer; send this request by itself',
} as const;

function waitsFault({ method, path }: Operation): Problem {
  const shown = `${method} ${path.slice(0, 200)}`;
  return invalid([
    {
      field: 'Path',
      message: `cannot be part of an atomic batch where it waits for others, as ${shown} does; send it by itself or in a batch with "Atomic": false`,
    },
  ]);
}

/** The name and content of an operation whose batch was sent with an Idempotency-Key. */
function partOf(
  { accountNo, request }: IdempotentRequest,
  part: number,
  operation: Operation,
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
