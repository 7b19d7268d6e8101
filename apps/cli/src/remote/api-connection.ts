import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, createVantageClient, type VantageClient } from '@vantage/client';
import type { Json } from '@vantage/domain';
import { Fault, faultSentence, faultText } from '@vantage/kernel';
import { type ControllerAccess, createHttpsFetch, Unreachable } from './https-fetch.ts';

/** A request of a batch. */
export interface BatchOperation {
  readonly Method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly Path: string;
  readonly Body?: { readonly [key: string]: Json };
  readonly IfMatch?: string;
}

export interface BatchedResult {
  readonly Status: number;
  readonly Body: unknown;
  readonly ETag?: string;
}

/** All results of a batch, or those up to the first failure. */
interface BatchResults {
  readonly results: readonly BatchedResult[];
  /** The reason why an atomic batch was rolled back. */
  readonly failure?: ApiError;
}

/** A request with a path that the typed client cannot know. */
interface ApiCall {
  readonly method: BatchOperation['Method'];
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Json;
}

/** The REST API of a controller. */
export interface ApiConnection extends Disposable {
  readonly client: VantageClient;
  /** Resolves with a successful answer. An error is a Fault with a line for each wrong field. */
  call(call: ApiCall): Promise<Response>;
  /** Sends a batch, and repeats it with the same idempotency key while the controller does not answer. */
  batch(
    operations: readonly BatchOperation[],
    options: { readonly isAtomic: boolean; readonly isPreview?: boolean },
  ): Promise<BatchResults>;
}

/** Pauses before the next attempt. A controller restarts within their sum. */
const pausesMs = [500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000] as const;
const unavailable = 1503;

/** Sends nothing yet. */
export function connect(access: ControllerAccess): ApiConnection {
  const { fetch, close } = createHttpsFetch(access);
  const baseUrl = access.server.replace(/\/+$/, '');
  const client = createVantageClient({ baseUrl, fetch });
  return {
    client,
    [Symbol.dispose]: close,
    async call({ method, path, query = {}, body }) {
      const url = new URL(`${baseUrl}${path}`);
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      const headers = { 'Content-Type': 'application/json' };
      const content = body === undefined ? {} : { body: JSON.stringify(body), headers };
      const answer = await fetch(new Request(url, { method, ...content }));
      if (answer.ok) return answer;
      const problem: unknown = await answer.json().catch(() => undefined);
      throw apiFault(answer.status, problem);
    },
    async batch(operations, { isAtomic, isPreview = false }) {
      // The controller need not store the answer to reads.
      const isIdempotent = !isPreview && operations.some(({ Method }) => Method !== 'GET');
      const header = isIdempotent ? { 'Idempotency-Key': randomUUID() } : {};
      // The document cannot say which body an operation has.
      const body = { Atomic: isAtomic, Preview: isPreview, Operations: operations as never };
      return retryWhileUnavailable(async () => {
        const { data, error, response } = await client.POST('/batch', { params: { header }, body });
        if (data !== undefined) return { results: data.Results as readonly BatchedResult[] };
        const results: unknown = error === undefined ? undefined : Reflect.get(error, 'Results');
        const failure = new ApiError(response.status, error);
        if (!Array.isArray(results)) throw failure;
        return { results: results as readonly BatchedResult[], failure };
      });
    },
  };
}

async function retryWhileUnavailable<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isUnavailable =
        error instanceof Unreachable || (error instanceof ApiError && error.code === unavailable);
      const pauseMs = pausesMs[attempt];
      if (!isUnavailable || pauseMs === undefined) throw error;
      await delay(pauseMs);
    }
  }
}

/** Returns the body of a successful answer. An error is a Fault for people. */
export async function take<Data>(
  answer: Promise<{ readonly data?: Data; readonly error?: unknown; readonly response: Response }>,
): Promise<Data> {
  const { data, error, response } = await answer;
  if (data === undefined) throw apiFault(response.status, error);
  return data;
}

/** An error of the API for people: its message, and a line for each wrong field that the message leaves out. Pure. */
export function apiFault(status: number, problem: unknown): Fault {
  if (problem === null || typeof problem !== 'object' || !('message' in problem))
    return new Fault(
      'stop',
      'refused',
      `the server answered with status ${status}, which is not an answer of the API; --server is https://host:port/v1.1`,
    );
  const errors: readonly unknown[] =
    'errors' in problem && Array.isArray(problem.errors) ? problem.errors : [];
  const summary = String(problem.message);
  // The message of the API has the first three errors.
  const lines = errors.flatMap((error) => {
    const { field = '', message = '' } = { ...(error as { field?: string; message?: string }) };
    return summary.includes(faultText({ field, message })) ? [] : [faultSentence({ field, message })];
  });
  return new Fault('stop', 'refused', [summary, ...lines].join('\n'));
}
