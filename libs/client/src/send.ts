import { retryDelayMs } from './event-lines.ts';
import { pause } from './pause.ts';

export interface SenderOptions {
  /** A key of the API; absent in a browser with a session. */
  readonly key?: string;
  readonly fetch?: (request: Request) => Promise<Response>;
  /** The number of attempts of a request without an answer; default 5, over about 15 s. */
  readonly attempts?: number;
  /** Waits between attempts; replaced in tests. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Methods that can be repeated without a second effect. For POST, the Idempotency-Key ensures that. */
const repeatable = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'POST'];
/** The controller is restarting or overloaded. */
const temporary = [429, 502, 503, 504];

/**
 * A `fetch` for `createVantageClient`, `pages` and `events`. It adds the key, and repeats a request that failed on the
 * network or that a restarting controller refused. Each POST gets an Idempotency-Key, so that repeating it has no
 * second effect. Rejects with the error of the last attempt, or when the request's signal aborts.
 */
export function createSender(options: SenderOptions = {}): (request: Request) => Promise<Response> {
  const { key, fetch = (request) => globalThis.fetch(request), attempts = 5, sleep = pause } = options;
  return async (original) => {
    const request = prepare(original, key);
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt >= attempts || !repeatable.includes(request.method);
      try {
        // The body of a request can be read only once.
        const answer = await fetch(isLast ? request : request.clone());
        if (isLast || !temporary.includes(answer.status)) return answer;
        await answer.body?.cancel();
        await sleep(waitOf(answer, attempt), request.signal);
      } catch (error) {
        if (isLast || request.signal.aborted) throw error;
        await sleep(retryDelayMs(attempt - 1, Math.random()), request.signal);
      }
      request.signal.throwIfAborted();
    }
  };
}

function prepare(original: Request, key: string | undefined): Request {
  const request = new Request(original);
  if (key !== undefined) request.headers.set('Service-API-Key', key);
  if (request.method === 'POST' && !request.headers.has('Idempotency-Key'))
    request.headers.set('Idempotency-Key', crypto.randomUUID());
  return request;
}

function waitOf(answer: Response, attempt: number): number {
  const seconds = Number(answer.headers.get('Retry-After') ?? Number.NaN);
  return seconds >= 0 && seconds <= 60 ? seconds * 1_000 : retryDelayMs(attempt - 1, Math.random());
}

/**
 * The headers with which a write fails (1005) if the resource has changed since the answer `read`; none if the answer
 * has no ETag.
 */
export function ifUnchanged(read: Response): Record<string, string> {
  const tag = read.headers.get('ETag');
  return tag === null ? {} : { 'If-Match': tag };
}
