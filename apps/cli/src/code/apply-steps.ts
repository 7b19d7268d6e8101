import { ApiError } from '@vantage/client';
import { faultText } from '@vantage/kernel';
import type { ApiConnection, BatchedResult, BatchOperation } from '../remote/api-connection.ts';
import type { PlanStep } from './apply-plan.ts';
import { kinds } from './managed-kinds.ts';

/** A step with the ETag that its resource had when the plan was made. */
export interface BoundStep extends PlanStep {
  readonly etag: string | undefined;
}

export interface ApplyOutcome {
  readonly done: number;
  /** The reason why the rest was not done: a line for each fault, with its position. */
  readonly failures: readonly string[];
}

const conflict = 1005;
/** The API's limit for the operations of a batch. */
const maxOperations = 1_000;
/** The API accepts a body of 4 MiB. */
const maxBodyBytes = 3 * 1024 * 1024;

/** Reads the ETags of the resources that the steps change, so that no change of others is overwritten. */
export async function bindSteps(
  connection: ApiConnection,
  steps: readonly PlanStep[],
): Promise<readonly BoundStep[]> {
  const bound: BoundStep[] = [];
  for (let from = 0; from < steps.length; ) {
    const part = steps.slice(from, from + maxOperations);
    const existing = part.filter(({ id }) => id !== undefined);
    const operations = existing.map((step): BatchOperation => ({ Method: 'GET', Path: pathOf(step) }));
    const { results } =
      operations.length === 0 ? { results: [] } : await connection.batch(operations, { isAtomic: false });
    const etags = new Map(existing.map((step, index) => [step, results[index]?.ETag]));
    // When the answer gets too large, the remaining operations get 429 and are sent again.
    const [firstUnanswered] = existing.filter((_, index) => results[index]?.Status === 429);
    const end = firstUnanswered === undefined ? part.length : Math.max(1, part.indexOf(firstUnanswered));
    for (const step of part.slice(0, end)) bound.push({ ...step, etag: etags.get(step) });
    from += end;
  }
  return bound;
}

/** The next steps that fit into one batch. */
function nextPart(steps: readonly BoundStep[], from: number, maxSteps: number): readonly BoundStep[] {
  const part: BoundStep[] = [];
  let bytes = 0;
  for (const step of steps.slice(from, from + maxSteps)) {
    bytes += Buffer.byteLength(JSON.stringify(operationOf(step)));
    if (bytes > maxBodyBytes && part.length > 0) break;
    part.push(step);
  }
  return part;
}

/**
 * Carries out the steps in parts, each in one transaction. A part that takes the controller too long is halved. The
 * first rejected part ends the run: it is rolled back, and a later run can complete it. `isPreview` sends only the
 * first part, and rolls it back.
 */
export async function applySteps(
  connection: Pick<ApiConnection, 'batch'>,
  steps: readonly BoundStep[],
  { isPreview, onPart }: { readonly isPreview: boolean; readonly onPart: (done: number) => void },
): Promise<ApplyOutcome> {
  let done = 0;
  let maxSteps = maxOperations;
  while (done < steps.length) {
    const part = nextPart(steps, done, maxSteps);
    const outcome = await tryPart(connection, part, isPreview);
    if (outcome === undefined) {
      maxSteps = Math.ceil(part.length / 2);
      continue;
    }
    if (outcome.failures.length > 0) return { done, failures: outcome.failures };
    done += part.length;
    onPart(done);
    if (isPreview) break;
  }
  return { done, failures: [] };
}

/** Sends a part. Undefined: it was rolled back, because it takes the controller too long. */
async function tryPart(
  connection: Pick<ApiConnection, 'batch'>,
  part: readonly BoundStep[],
  isPreview: boolean,
): Promise<{ readonly failures: readonly string[] } | undefined> {
  try {
    const { results, failure } = await connection.batch(part.map(operationOf), { isAtomic: true, isPreview });
    if (failure === undefined) return { failures: [] };
    const [failed, last] = [part[results.length - 1], results.at(-1)];
    const isKnown = failed !== undefined && last !== undefined && last.Status !== 200;
    return { failures: isKnown ? failureLines(failed, last) : [failure.message] };
  } catch (error) {
    // An error without results is about the batch itself.
    if (error instanceof ApiError && error.code === conflict && part.length > 1) return undefined;
    throw error;
  }
}

function operationOf({ verb, kind, id, body, etag }: BoundStep): BatchOperation {
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

function pathOf({ kind, id }: Pick<PlanStep, 'kind' | 'id'>): string {
  const { section } = kinds[kind];
  return id === undefined ? `/${section}` : `/${section}/${id}`;
}

/** A line for each fault, with its position in the file. */
function failureLines(step: PlanStep, { Body }: BatchedResult): readonly string[] {
  const { what } = kinds[step.kind];
  const subject = `${what} ${step.key === '' ? step.name : step.key}`;
  const { message, errors } = problemOf(Body);
  const faults = errors.length === 0 ? [{ field: '', message }] : errors;
  return faults.map(({ field, message: text }) => {
    const position = step.at(field === '' ? undefined : field === 'ExternalKey' ? 'Key' : field);
    return `${position === '' ? '' : `${position}: `}${subject}: ${faultText({ field, message: text })}`;
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
