import { ApiError } from '@vantage/client';
import { faultText } from '@vantage/kernel';
import type { Connection, Operation, Result } from '../remote/connection.ts';
import { kinds } from './kinds.ts';
import type { Step } from './plan.ts';

/** A step with the ETag of what it changes, as it was when the plan was made. */
export interface BoundStep extends Step {
  readonly etag: string | undefined;
}

/** How far carrying out came. */
export interface Outcome {
  readonly done: number;
  /** Why the rest was not done: a line for each fault, with its place. */
  readonly failures: readonly string[];
}

const conflict = 1005;
/** Operations of one batch; the API takes no more. */
const together = 1_000;
/** Of the body of a batch, bytes: the API takes 4 MiB. */
const mostBytes = 3 * 1024 * 1024;

/** Reads the ETag of all that the steps change, so that nothing that somebody else changes meanwhile is overwritten. */
export async function bindSteps(
  connection: Connection,
  steps: readonly Step[],
): Promise<readonly BoundStep[]> {
  const bound: BoundStep[] = [];
  for (let from = 0; from < steps.length; ) {
    const part = steps.slice(from, from + together);
    const there = part.filter(({ id }) => id !== undefined);
    const operations = there.map((step): Operation => ({ Method: 'GET', Path: pathOf(step) }));
    const { results } =
      operations.length === 0 ? { results: [] } : await connection.batch(operations, { isAtomic: false });
    const etags = new Map(there.map((step, at) => [step, results[at]?.ETag]));
    // Of a batch whose answer gets too great, the rest is asked again.
    const [cut] = there.filter((_, at) => results[at]?.Status === 429);
    const end = cut === undefined ? part.length : Math.max(1, part.indexOf(cut));
    for (const step of part.slice(0, end)) bound.push({ ...step, etag: etags.get(step) });
    from += end;
  }
  return bound;
}

/** The next steps that fit into one batch. */
function partAt(steps: readonly BoundStep[], from: number, most: number): readonly BoundStep[] {
  const part: BoundStep[] = [];
  let bytes = 0;
  for (const step of steps.slice(from, from + most)) {
    bytes += Buffer.byteLength(JSON.stringify(operationOf(step)));
    if (bytes > mostBytes && part.length > 0) break;
    part.push(step);
  }
  return part;
}

/**
 * Carries out the steps in parts, each in one transaction; a part that the controller has no time for is halved. Ends
 * at the first part that is refused: nothing of it is done, and running again completes it. `isPreview`: the first part
 * is judged and rolled back, nothing is done.
 */
export async function carryOut(
  connection: Pick<Connection, 'batch'>,
  steps: readonly BoundStep[],
  { isPreview, onPart }: { readonly isPreview: boolean; readonly onPart: (done: number) => void },
): Promise<Outcome> {
  let done = 0;
  let most = together;
  while (done < steps.length) {
    const part = partAt(steps, done, most);
    const outcome = await tryPart(connection, part, isPreview);
    if (outcome === undefined) {
      most = Math.ceil(part.length / 2);
      continue;
    }
    if (outcome.failures.length > 0) return { done, failures: outcome.failures };
    done += part.length;
    onPart(done);
    if (isPreview) break;
  }
  return { done, failures: [] };
}

/** Does a part; undefined: nothing is done, because it takes the controller too long at once. */
async function tryPart(
  connection: Pick<Connection, 'batch'>,
  part: readonly BoundStep[],
  isPreview: boolean,
): Promise<{ readonly failures: readonly string[] } | undefined> {
  try {
    const { results, failure } = await connection.batch(part.map(operationOf), { isAtomic: true, isPreview });
    if (failure === undefined) return { failures: [] };
    const [failed, last] = [part[results.length - 1], results.at(-1)];
    const isKnown = failed !== undefined && last !== undefined && last.Status !== 200;
    return { failures: isKnown ? describe(failed, last) : [failure.message] };
  } catch (error) {
    // A refusal without results is one of the batch itself.
    if (error instanceof ApiError && error.code === conflict && part.length > 1) return undefined;
    throw error;
  }
}

function operationOf({ verb, kind, id, body, etag }: BoundStep): Operation {
  const Path = pathOf({ kind, id });
  const condition = etag === undefined ? {} : { IfMatch: etag };
  switch (verb) {
    case 'create':
      return { Method: 'POST', Path, Body: body };
    case 'delete':
      return { Method: 'DELETE', Path, ...condition };
    case 'change':
    case 'pause':
    case 'forget':
      return { Method: 'PUT', Path, Body: body, ...condition };
  }
}

function pathOf({ kind, id }: Pick<Step, 'kind' | 'id'>): string {
  const { section } = kinds[kind];
  return id === undefined ? `/${section}` : `/${section}/${id}`;
}

/** A line for each fault, with the place in the file. */
function describe(step: Step, { Body }: Result): readonly string[] {
  const { what } = kinds[step.kind];
  const subject = `${what} ${step.key === '' ? step.name : step.key}`;
  const { message, errors } = problemOf(Body);
  const faults = errors.length === 0 ? [{ field: '', message }] : errors;
  return faults.map(({ field, message: text }) => {
    const place = step.at(field === '' ? undefined : field === 'ExternalKey' ? 'Key' : field);
    return `${place === '' ? '' : `${place}: `}${subject}: ${faultText({ field, message: text })}`;
  });
}

function problemOf(body: unknown): {
  readonly message: string;
  readonly errors: readonly { readonly field: string; readonly message: string }[];
} {
  if (body === null || typeof body !== 'object') return { message: String(body), errors: [] };
  const errors = 'errors' in body && Array.isArray(body.errors) ? body.errors : [];
  return { message: 'message' in body ? String(body.message) : '', errors };
}
