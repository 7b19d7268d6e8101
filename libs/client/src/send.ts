import { retryDelayMs } from './event-lines.ts';
import { pause } from './pause.ts';

/** Sends requests with a key, and again where nobody answered. */
export interface SenderOptions {
  /** A key of the API; in a browser with a session there is none. */
  readonly key?: string;
  readonly fetch?: (request: Request) => Promise<Response>;
  /** Attempts of a request that nobody answered; default 5, over about 15 s. */
  readonly attempts?: number;
  /** Waits; a test has its own. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Methods that do no more when they are sent twice. POST has an Idempotency-Key for it. */
const repeatable = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'POST'];
/** The controller restarts, or has too much to do for a moment. */
const passing = [429, 502, 503, 504];

/**
 * A `fetch` for `createVantageClient`, `pages` and `events`: it adds the key, and repeats a request that failed on the
 * way or that a restarting controller refused. Each POST gets an Idempotency-Key, so that it is done once. Rejects with
 * the error of the last attempt, or when the request's signal aborts.
 */
export function createSender(options: SenderOptions = {}): (request: Request) => Promise<Response> {
  const { key, fetch = (request) => globalThis.fetch(request), attempts = 5, sleep = pause } = options;
  return async (asked) => {
    const request = prepared(asked, key);
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt >= attempts || !repeatable.includes(request.method);
      try {
        // The body of a request can be read once.
        const answer = await fetch(isLast ? request : request.clone());
        if (isLast || !passing.includes(answer.status)) return answer;
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

function prepared(asked: Request, key: string | undefined): Request {
  const request = new Request(asked);
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
 * The headers that make a write fail (1005) where somebody changed meanwhile what `read` answered; none where
 * the answer has no ETag.
 */
export function ifUnchanged(read: Response): Record<string, string> {
  const tag = read.headers.get('ETag');
  return tag === null ? {} : { 'If-Match': tag };
}
