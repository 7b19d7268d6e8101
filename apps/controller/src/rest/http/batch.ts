import { setImmediate as nextRound } from 'node:timers/promises';
import { boundedText, type Clock, createSemaphore, declareShare } from '@vantage/kernel';
import { z } from 'zod';
import { createPerKeySemaphore } from './per-key-semaphore.ts';
import type { Operation, OperationResult, Perform } from './perform.ts';
import { conflict, invalid, Problem, problemCode, tooMuch } from './problem.ts';
import { noSubject, type Route, route } from './route.ts';

declareShare({
  name: 'batches_of_an_account',
  limit: 'one limit for each account',
  filledBy: 'keys',
  share: '1 until the answer was sent',
});
declareShare({
  name: 'plain_batches',
  limit: '6',
  filledBy: 'keys',
  share: '1 an account, in the order of arrival',
});
declareShare({
  name: 'atomic_batches',
  limit: '2',
  filledBy: 'keys',
  share: '1 an account, in the order of arrival; 20 s at most',
});

/** The limits of a batch. */
const batchLimits = {
  operations: 1_000,
  /** The body of the batch. `values` is 100 an operation. */
  body: { bytes: 4 * 1024 * 1024, depth: 40, values: 100_000 },
  /** All answers together; the operations after it are not done. */
  answerBytes: 4 * 1024 * 1024,
  /** Then the operations that have not begun are not done. */
  ms: 60_000,
  /**
   * Then an atomic batch is rolled back: other changes of its account wait for it. 1,000 devices need about 6 s of CPU
   * time.
   */
  atomicMs: 20_000,
} as const;
/**
 * Batches under way: of an account until the answer was sent, and of this controller while they are computed, so that
 * an account which does not read keeps no other from its batches. An atomic one has a database connection of its own
 * all the time.
 */
const places = {
  account: { running: 1, waiting: 64 },
  plain: { running: 6, waiting: 256 },
  atomic: { running: 2, waiting: 256 },
} as const;

const operation = z
  .strictObject({
    Method: z
      .enum(['GET', 'POST', 'PUT', 'DELETE'])
      .describe('The verb.')
      .meta({ examples: ['POST'] }),
    Path: boundedText(8_000, 1)
      .regex(/^\//, 'must be a path of this API with its query, for example /devices?Limit=5')
      .describe('Path and query as in a request of its own, without `/v1.1`.')
      .meta({ examples: ['/tags'] }),
    Body: z
      .unknown()
      .refine(
        (body) => body === undefined || isObject(body),
        'must be a JSON object, for example {"Name": "web"}',
      )
      .optional()
      .describe('The body that the request would have by itself.')
      .meta({ examples: [{ Name: 'web' }], override: { type: 'object', additionalProperties: true } }),
    IfMatch: boundedText(200, 1)
      .optional()
      .describe('As the header If-Match: the change is refused (1005) where the resource has another ETag.')
      .meta({ examples: ['"9f2c61ab03de4471.0c1d2e3f40516273"'] }),
  })
  .meta({ id: 'Operation', description: 'One request of a batch.' });

const batch = z
  .strictObject({
    Atomic: z
      .boolean()
      .default(false)
      .describe('true: all operations are one transaction; where one fails, nothing is done.')
      .meta({ examples: [true] }),
    Preview: z
      .boolean()
      .optional()
      .describe('With Atomic: the operations are done and answered, and then all of it is rolled back.')
      .meta({ examples: [false] }),
    Operations: z.array(operation).min(1).max(batchLimits.operations).describe('Done in this order.'),
  })
  .refine(({ Atomic, Preview }) => Atomic || Preview !== true, {
    error: 'needs "Atomic": true, because only a transaction can be rolled back',
    path: ['Preview'],
  })
  .meta({ id: 'Batch', description: 'Requests that are done one after the other.' });

/** The result of one operation. */
export const operationResult = z
  .strictObject({
    Status: z
      .int()
      .describe('The HTTP status that the request would have by itself.')
      .meta({ examples: [200] }),
    Body: z
      .unknown()
      .describe('The JSON that the request would be answered with by itself.')
      .meta({ examples: [{ tag_id: '27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802' }] }),
    ETag: z
      .string()
      .optional()
      .describe('Of a GET that shows one resource: for IfMatch.')
      .meta({ examples: ['"9f2c61ab03de4471.0c1d2e3f40516273"'] }),
  })
  .meta({ id: 'OperationResult', description: 'The answer of one operation of a batch.' });

const results = z
  .strictObject({
    Results: z.array(operationResult).describe('One for each operation, in the same order.'),
  })
  .meta({ id: 'BatchResults', description: 'The answers of all operations.' });

/** The parts that the route of batches needs. */
interface BatchDeps {
  readonly clock: Clock;
  /** See `Db.inWholeTransaction`. */
  readonly inTransaction: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Many requests in one. */
export function batchRoutes(deps: BatchDeps): Route[] {
  const accounts = createPerKeySemaphore<number>(places.account);
  const plain = createSemaphore(places.plain);
  const atomic = createSemaphore(places.atomic);
  const admitted = <T>(done: { readonly value: T } | undefined): T => {
    if (done === undefined) throw tooMuch('Too many batches are waiting.');
    return done.value;
  };
  return [
    route({
      method: 'POST',
      path: '/batch',
      level: 'UR',
      tag: 'Batch',
      summary: 'Does up to 1,000 requests in one.',
      description,
      subject: noSubject,
      body: batch,
      bodyLimits: batchLimits.body,
      waits: (body) => !(isObject(body) && body['Atomic'] === true),
      admit: async ({ accountNo }, work, stay) => admitted(await accounts.run(accountNo, work, stay)),
      response: results,
      names: undefined,
      handler: async ({ body, perform, kept, signal }) => {
        if (perform === undefined) throw invalid([nestedFault]);
        const operations = body.Operations.map(
          ({ Method, Path, Body, IfMatch = '' }): Operation => ({
            method: Method,
            path: Path,
            body: Body ?? {},
            ifMatch: IfMatch,
          }),
        );
        const work = { operations, perform, kept, signal, isPreview: body.Preview === true };
        const done = body.Atomic
          ? await atomic.run(() => performTogether(deps, work), signal)
          : await plain.run(() => performEach(deps.clock, work), signal);
        const Results = admitted(done);
        return { body: { Results }, json: jsonOf(Results) };
      },
    }),
  ];
}

const description = `The operations are done one after the other. Each is judged like a request of its own (route, level of the key, query, id, body), and its \`Status\` and \`Body\` are what that request would be answered with. The answer of the batch is 200 also where operations failed.

With \`"Atomic": true\` all operations are one transaction: later ones find what earlier ones wrote, others find nothing of it before the end. Where one fails, nothing is done, the operations after it are not tried, and the answer is 400 with code 1005 and the \`Results\` up to that one. Requests that wait for others (a check on request, a test of a contact) cannot be in it.

An operation has no headers: no Idempotency-Key, no other form than JSON; \`IfMatch\` stands for If-Match. A batch cannot hold a batch or a stream of events. The body has at most 4 MiB, the results together about 4 MiB. Operations that have not begun after 60 seconds or over these bytes are not done; their \`Status\` is 429. An atomic batch that is not done within 20 seconds is rolled back.

With the header Idempotency-Key, a repetition does only what was not done before.`;

const nestedFault = {
  field: 'Path',
  message:
    'cannot be /batch in an operation, because a batch cannot hold a batch; send its operations in this one',
} as const;

/** Operations, and what performs one. */
interface Work {
  readonly operations: readonly Operation[];
  readonly perform: Perform;
  readonly kept: Parameters<Perform>[1]['kept'];
  readonly signal: AbortSignal;
  /** All is rolled back. */
  readonly isPreview: boolean;
}

/** Rolls a preview back. */
class Previewed extends Error {
  readonly done: OperationResult[];

  constructor(done: OperationResult[]) {
    super('previewed');
    this.done = done;
  }
}

/** Performs each by itself. */
async function performEach(
  clock: Clock,
  { operations, perform, kept, signal }: Work,
): Promise<OperationResult[]> {
  const untilMs = clock.monoMs() + batchLimits.ms;
  const done: OperationResult[] = [];
  let bytes = 0;
  for (const [part, operation] of operations.entries()) {
    signal.throwIfAborted();
    const reason = notDoneReason(bytes, clock.monoMs() > untilMs);
    const result =
      reason === undefined ? await perform(operation, { atomic: false, part, kept }) : notDone(reason);
    bytes += bodyBytes(result).length;
    done.push(result);
    // Operations that are refused at once would keep the requests of others waiting.
    await nextRound();
  }
  return done;
}

/** Performs all in one transaction. Throws a Problem (1005) with the results where one fails. */
async function performTogether(deps: BatchDeps, work: Work): Promise<OperationResult[]> {
  if (!work.isPreview) return deps.inTransaction(() => performAll(deps.clock, work));
  try {
    return await deps.inTransaction(async () => {
      throw new Previewed(await performAll(deps.clock, work));
    });
  } catch (error) {
    if (error instanceof Previewed) return error.done;
    throw error;
  }
}

/** Performs all in the open transaction. */
async function performAll(clock: Clock, { operations, perform, signal }: Work): Promise<OperationResult[]> {
  const untilMs = clock.monoMs() + batchLimits.atomicMs;
  const done: OperationResult[] = [];
  let bytes = 0;
  for (const [part, operation] of operations.entries()) {
    signal.throwIfAborted();
    const result = await perform(operation, { atomic: true, part });
    bytes += bodyBytes(result).length;
    done.push(result);
    if (result.Status !== 200) throw undone(operation, done);
    if (bytes > batchLimits.answerBytes) throw tooGreat(done.length);
    if (clock.monoMs() > untilMs && done.length < operations.length) throw tooSlow(done.length);
    await nextRound();
  }
  return done;
}

function notDoneReason(bytes: number, isLate: boolean): string | undefined {
  if (bytes > batchLimits.answerBytes)
    return `the results before it have over ${batchLimits.answerBytes} bytes`;
  return isLate ? `the operations before it needed over ${batchLimits.ms / 1000} s` : undefined;
}

function notDone(reason: string): OperationResult {
  const problem = tooMuch(`This operation was not done, because ${reason}. Send it in another batch.`);
  return { Status: problem.status, Body: problem.toJSON() };
}

function undone({ method, path }: Operation, done: readonly OperationResult[]): Problem {
  const cause = z.looseObject({ message: z.string() }).safeParse(done.at(-1)?.Body).data?.message ?? '';
  const message = `Nothing was done, because operation ${done.length} (${method} ${path.slice(0, 200)}) failed: ${cause}`;
  return new Problem(problemCode.conflict, message, { reason: 'batch_failed', results: done });
}

function tooGreat(count: number): Problem {
  return conflict(
    'batch_too_large',
    `Nothing was done, because the results of the first ${count} operations have over ${batchLimits.answerBytes} bytes. Send fewer operations in an atomic batch.`,
  );
}

function tooSlow(count: number): Problem {
  return conflict(
    'batch_too_large',
    `Nothing was done, because the first ${count} operations needed over ${batchLimits.atomicMs / 1000} s. Send fewer operations in an atomic batch, or "Atomic": false.`,
  );
}

/** Bodies as JSON: measured and sent, and some are the same object in many results. */
const known = new WeakMap<object, Buffer>();

function bodyBytes({ Body }: OperationResult): Buffer {
  if (typeof Body !== 'object' || Body === null) return Buffer.from(JSON.stringify(Body) ?? 'null');
  const made = known.get(Body) ?? Buffer.from(JSON.stringify(Body));
  known.set(Body, made);
  return made;
}

/** The answer in bytes: texts of megabytes would be read three more times on their way, while everybody waits. */
function jsonOf(results: readonly OperationResult[]): Buffer {
  const parts = results.flatMap((result, at) => [
    Buffer.from(`${at === 0 ? '' : ','}{"Status":${result.Status},"Body":`),
    bodyBytes(result),
    Buffer.from(result.ETag === undefined ? '}' : `,"ETag":${JSON.stringify(result.ETag)}}`),
  ]);
  return Buffer.concat([Buffer.from('{"Results":['), ...parts, Buffer.from(']}\n')]);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
