import { setImmediate as nextIteration } from 'node:timers/promises';
import type { Clock } from '@vantage/kernel';
import type { Db } from '@vantage/storage';
import { z } from 'zod';
import { conflict, Problem, problemCode, tooMuch } from '../serve/problem.ts';
import { batchLimits } from './batch-fields.ts';
import { bodyBytes } from './batch-json.ts';
import type { BatchOperation, OperationResult, Perform } from './perform.ts';

export interface BatchDeps {
  readonly clock: Clock;
}

/** A batch that is to run. */
export interface BatchWork {
  readonly db: Db;
  readonly operations: readonly BatchOperation[];
  readonly perform: Perform;
  readonly kept: Parameters<Perform>[1]['kept'];
  readonly signal: AbortSignal;
  /** The transaction is rolled back at the end. */
  readonly isPreview: boolean;
}

/** Thrown to roll a preview back. */
class PreviewDone extends Error {
  readonly done: OperationResult[];

  constructor(done: OperationResult[]) {
    super('previewed');
    this.done = done;
  }
}

/** Runs the operations one after the other, each as a request of its own. */
export async function runPlain(
  clock: Clock,
  { operations, perform, kept, signal }: BatchWork,
): Promise<OperationResult[]> {
  const untilMs = clock.monoMs() + batchLimits.ms;
  const done: OperationResult[] = [];
  let bytes = 0;
  for (const [part, operation] of operations.entries()) {
    signal.throwIfAborted();
    const reason = notDoneReason(bytes, clock.monoMs() > untilMs);
    const result =
      reason === undefined ? await perform(operation, { db: undefined, part, kept }) : notDone(reason);
    bytes += bodyBytes(result).length;
    done.push(result);
    // Operations that are refused at once never wait for I/O, so other requests would starve.
    await nextIteration();
  }
  return done;
}

/** Runs all operations in one transaction. Throws a Problem (1005) with the results so far where one fails. */
export async function runAtomic(deps: BatchDeps, work: BatchWork): Promise<OperationResult[]> {
  if (!work.isPreview) return work.db.inBatch((db) => runAll(deps.clock, { ...work, db }));
  try {
    return await work.db.inBatch(async (db) => {
      throw new PreviewDone(await runAll(deps.clock, { ...work, db }));
    });
  } catch (error) {
    if (error instanceof PreviewDone) return error.done;
    throw error;
  }
}

async function runAll(
  clock: Clock,
  { db, operations, perform, signal }: BatchWork,
): Promise<OperationResult[]> {
  const untilMs = clock.monoMs() + batchLimits.atomicMs;
  const done: OperationResult[] = [];
  let bytes = 0;
  for (const [part, operation] of operations.entries()) {
    signal.throwIfAborted();
    const result = await perform(operation, { db, part });
    bytes += bodyBytes(result).length;
    done.push(result);
    if (result.Status !== 200) throw undone(operation, done);
    if (bytes > batchLimits.answerBytes) throw tooGreat(done.length);
    if (clock.monoMs() > untilMs && done.length < operations.length) throw tooSlow(done.length);
    await nextIteration();
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

function undone({ method, path }: BatchOperation, done: readonly OperationResult[]): Problem {
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
