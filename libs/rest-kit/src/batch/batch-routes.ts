import { createSemaphore, declareShare, isRecord } from '@vantage/kernel';
import { createPerKeySemaphore } from '../limits/per-key-semaphore.ts';
import { invalid, tooMuch } from '../serve/problem.ts';
import type { Route } from '../serve/route.ts';
import { noSubject, route } from '../serve/route-factories.ts';
import { batch, batchLimits, batchResults } from './batch-fields.ts';
import { resultsJson } from './batch-json.ts';
import type { BatchOperation } from './perform.ts';
import { type BatchDeps, runAtomic, runPlain } from './run-batch.ts';

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

/**
 * Concurrent batches. The slot of an account is occupied until the answer is sent, those of the controller only while
 * a batch runs, so an account that does not read its answer delays no other. An atomic batch occupies a database
 * connection all the time.
 */
const slots = {
  account: { running: 1, waiting: 64 },
  plain: { running: 6, waiting: 256 },
  atomic: { running: 2, waiting: 256 },
} as const;

/** `POST /batch`: many requests in one. */
export function batchRoutes(deps: BatchDeps): Route[] {
  const accounts = createPerKeySemaphore<number>(slots.account);
  const plain = createSemaphore(slots.plain);
  const atomic = createSemaphore(slots.atomic);
  const admitted = <T>(done: { readonly value: T } | undefined): T => {
    if (done === undefined) throw tooMuch('Too many batches are waiting.');
    return done.value;
  };
  return [
    route({
      method: 'POST',
      path: '/batch',
      limitedCallers: 'permitted',
      level: 'UR',
      tag: 'Batch',
      summary: 'Does up to 1,000 requests in one.',
      description,
      subject: noSubject,
      body: batch,
      bodyLimits: batchLimits.body,
      waits: (body) => !(isRecord(body) && body['Atomic'] === true),
      admit: async ({ accountNo }, work, stay) => admitted(await accounts.run(accountNo, work, stay)),
      response: batchResults,
      names: undefined,
      handler: async ({ db, body, perform, kept, signal }) => {
        if (perform === undefined) throw invalid([nestedFault]);
        const operations = body.Operations.map(
          ({ Method, Path, Body, IfMatch = '' }): BatchOperation => ({
            method: Method,
            path: Path,
            body: Body ?? {},
            ifMatch: IfMatch,
          }),
        );
        const work = { db, operations, perform, kept, signal, isPreview: body.Preview === true };
        const done = body.Atomic
          ? await atomic.run(() => runAtomic(deps, work), signal)
          : await plain.run(() => runPlain(deps.clock, work), signal);
        const Results = admitted(done);
        return { body: { Results }, json: resultsJson(Results) };
      },
    }),
  ];
}

const description = `The operations are done one after the other. Each is judged like a request of its own (route, level of the key, query, id, body), and its \`Status\` and \`Body\` are what that request would be answered with. The answer of the batch is 200 also where operations failed.

With \`"Atomic": true\` all operations are one transaction: later ones find what earlier ones wrote, others find nothing of it before the end. Where one fails, nothing is done, the operations after it are not tried, and the answer is 400 with code 1005 and the \`Results\` up to that one. Requests that wait for others (a check on request, a test of a contact) cannot be in it.

An operation has no headers: no Idempotency-Key, no other form than JSON; \`IfMatch\` replaces the header If-Match. A batch cannot hold a batch or a stream of events. The body has at most 4 MiB, the results together about 4 MiB. Operations that have not begun after 60 seconds or over these bytes are not done; their \`Status\` is 429. An atomic batch that is not done within 20 seconds is rolled back.

With the header Idempotency-Key, a repetition does only what was not done before.`;

const nestedFault = {
  field: 'Path',
  message:
    'cannot be /batch in an operation, because a batch cannot hold a batch; send its operations in this one',
} as const;
