import type { Db } from '@vantage/storage';
import type { IdempotentRequest } from './idempotency-record-store.ts';

/** A verb of the API. */
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** One request of a batch. */
export interface BatchOperation {
  readonly method: Method;
  /** With its query. */
  readonly path: string;
  /** An object; of its content nothing was judged yet. */
  readonly body: Readonly<Record<string, unknown>>;
  /** As the header If-Match; '' without one. */
  readonly ifMatch: string;
}

/** The result of an operation. */
export interface OperationResult {
  readonly Status: number;
  readonly Body: unknown;
  /** Of the resource that a GET shows. */
  readonly ETag?: string;
}

/**
 * Performs an operation for the caller of a batch. `part` is its index in the batch.
 */
export type Perform = (
  operation: BatchOperation,
  how: {
    /** The transaction of an atomic batch; undefined: the operation stands for itself. */
    readonly db: Db | undefined;
    readonly part: number;
    /** The batch itself, where it was sent with an Idempotency-Key. */
    readonly kept?: IdempotentRequest | undefined;
  },
) => Promise<OperationResult>;
