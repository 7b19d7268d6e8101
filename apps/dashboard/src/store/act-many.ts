import type { Operation, Plan } from '../model/many.ts';
import { expectedDevices, readChanges } from './account-state.ts';
import { ApiProblem, api, take } from './api.ts';
import { whileExpecting } from './expect.ts';

/** Requests of one batch: few enough that the progress moves. */
const together = 50;

/** Which requests were done, by their place, and why each of the others was not. */
interface Outcome {
  readonly done: readonly number[];
  readonly refusals: readonly { readonly at: number; readonly reason: string }[];
}

/**
 * Does many requests; what one refuses changes nothing for the others. `expected` is shown until all are done. Throws
 * when the API cannot be asked.
 */
export function doMany(
  operations: readonly Operation[],
  expected: Plan['expected'],
  onStep: (tried: number) => void,
): Promise<Outcome> {
  return whileExpecting(expectedDevices, expected, () => sendAll(operations, onStep));
}

async function sendAll(operations: readonly Operation[], onStep: (tried: number) => void): Promise<Outcome> {
  const done: number[] = [];
  const refusals: { at: number; reason: string }[] = [];
  try {
    for (let from = 0; from < operations.length; from += together) {
      const Operations = operations.slice(from, from + together);
      // A Body is what the request would have by itself; the document cannot say that of all.
      const body = { Atomic: false, Operations: Operations as never };
      const { Results } = await take(api.POST('/batch', { body }));
      for (const [at, { Status, Body }] of Results.entries())
        if (Status < 300) done.push(from + at);
        else refusals.push({ at: from + at, reason: messageOf(Body) });
      onStep(Math.min(operations.length, from + together));
    }
  } finally {
    await readChanges().catch(() => {});
  }
  return { done, refusals };
}

function messageOf(body: unknown): string {
  return body !== null && typeof body === 'object' && 'message' in body ? String(body.message) : '';
}

const taken = 1005;

/** Creates a tag that may be there already. */
export async function haveTag(Name: string): Promise<void> {
  const { error } = await api.POST('/tags', { body: { Name } });
  if (error !== undefined && error.code !== taken)
    throw new ApiProblem(error.code, error.message, error.errors);
}
