import { readChanges } from './account-state.ts';
import { api, take } from './api.ts';

/** A request in a batch. */
export interface BatchOperation {
  readonly Method: 'POST' | 'PUT' | 'DELETE';
  readonly Path: string;
  readonly Body?: object;
}

/** The requests in a batch: few enough for a smooth progress bar. */
const batchSize = 50;

/** The indexes of the requests that succeeded, and of the others with the reason. */
interface BatchOutcome {
  readonly done: readonly number[];
  /** The answers of the requests that succeeded, in the order of `done`. */
  readonly bodies: readonly unknown[];
  readonly refusals: readonly { readonly at: number; readonly reason: string }[];
}

/** Runs many requests. A refusal of one does not affect the others. Throws if the API cannot be reached. */
export async function runBatches(
  operations: readonly BatchOperation[],
  onStep: (tried: number) => void,
): Promise<BatchOutcome> {
  const done: number[] = [];
  const bodies: unknown[] = [];
  const refusals: { at: number; reason: string }[] = [];
  try {
    for (let from = 0; from < operations.length; from += batchSize) {
      const Operations = operations.slice(from, from + batchSize);
      // Each Body is the body of its own request, which the document cannot express for all of them.
      const body = { Atomic: false, Operations: Operations as never };
      const { Results } = await take(api.POST('/batch', { body }));
      for (const [at, { Status, Body }] of Results.entries())
        if (Status < 300) {
          done.push(from + at);
          bodies.push(Body);
        } else refusals.push({ at: from + at, reason: messageOf(Body) });
      onStep(Math.min(operations.length, from + batchSize));
    }
  } finally {
    await readChanges().catch(() => {});
  }
  return { done, bodies, refusals };
}

function messageOf(body: unknown): string {
  return body !== null && typeof body === 'object' && 'message' in body ? String(body.message) : '';
}
