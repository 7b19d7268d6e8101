import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, createVantageClient, type VantageClient } from '@vantage/client';
import type { Json } from '@vantage/domain';
import { Fault, faultSentence, faultText } from '@vantage/kernel';
import { type ControllerAccess, createHttpsFetch, Unreachable } from './https-fetch.ts';

/** A request of a batch. */
export interface Operation {
  readonly Method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly Path: string;
  readonly Body?: { readonly [key: string]: Json };
  readonly IfMatch?: string;
}

/** The answer of an operation. */
export interface Result {
  readonly Status: number;
  readonly Body: unknown;
  readonly ETag?: string;
}

/** The answer of a batch: all results, or those up to the one that failed. */
interface BatchOutcome {
  readonly results: readonly Result[];
  /** Why an atomic batch was not done. */
  readonly failure?: ApiError;
}

/** A request whose path is known only when it runs. */
interface Call {
  readonly method: Operation['Method'];
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Json;
}

/** A connection to the REST API of a controller. */
export interface Connection extends Disposable {
  /** The API as its document types it. */
  readonly client: VantageClient;
  /** Resolves with the good answer; a refusal is a Fault with a line for each wrong field. */
  call(call: Call): Promise<Response>;
  /** Sends a batch, again with the same key while the controller does not answer. */
  batch(
    operations: readonly Operation[],
    how: { readonly isAtomic: boolean; readonly isPreview?: boolean },
  ): Promise<BatchOutcome>;
}

/** Pauses before another attempt, milliseconds: a controller restarts within these. */
const pausesMs = [500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000] as const;
const unavailable = 1503;

/** Connects to a controller. Nothing is sent yet. */
export function connect(access: ControllerAccess): Connection {
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
      const sent = body === undefined ? {} : { body: JSON.stringify(body), headers };
      const answer = await fetch(new Request(url, { method, ...sent }));
      if (answer.ok) return answer;
      const problem: unknown = await answer.json().catch(() => undefined);
      throw refusalOf(answer.status, problem);
    },
    async batch(operations, { isAtomic, isPreview = false }) {
      // An answer to reads alone is not worth keeping.
      const isKept = !isPreview && operations.some(({ Method }) => Method !== 'GET');
      const header = isKept ? { 'Idempotency-Key': randomUUID() } : {};
      // The document cannot say which body an operation has.
      const body = { Atomic: isAtomic, Preview: isPreview, Operations: operations as never };
      return repeated(async () => {
        const { data, error, response } = await client.POST('/batch', { params: { header }, body });
        if (data !== undefined) return { results: data.Results as readonly Result[] };
        const results: unknown = error === undefined ? undefined : Reflect.get(error, 'Results');
        const failure = new ApiError(response.status, error);
        if (!Array.isArray(results)) throw failure;
        return { results: results as readonly Result[], failure };
      });
    },
  };
}

/** Does it again while the controller cannot be reached or is not ready. */
async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isAway =
        error instanceof Unreachable || (error instanceof ApiError && error.code === unavailable);
      const pauseMs = pausesMs[attempt];
      if (!isAway || pauseMs === undefined) throw error;
      await delay(pauseMs);
    }
  }
}

/** The body of a good answer; a refusal is a Fault for people. */
export async function take<Data>(
  asked: Promise<{ readonly data?: Data; readonly error?: unknown; readonly response: Response }>,
): Promise<Data> {
  const { data, error, response } = await asked;
  if (data === undefined) throw refusalOf(response.status, error);
  return data;
}

/** A refusal of the API for people: its sentence, and a line for each fault that the sentence leaves out. Pure. */
export function refusalOf(status: number, problem: unknown): Fault {
  if (problem === null || typeof problem !== 'object' || !('message' in problem))
    return new Fault(
      'stop',
      'refused',
      `the server answered with status ${status}, which is no answer of the API; --server is https://host:port/v1.1`,
    );
  const errors: readonly unknown[] =
    'errors' in problem && Array.isArray(problem.errors) ? problem.errors : [];
  const said = String(problem.message);
  const lines = errors.flatMap((each) => {
    const { field = '', message = '' } = { ...(each as { field?: string; message?: string }) };
    return said.includes(faultText({ field, message })) ? [] : [faultSentence({ field, message })]; // the first three are in the sentence
  });
  return new Fault('stop', 'refused', [said, ...lines].join('\n'));
}
