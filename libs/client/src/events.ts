import { createEventReader, retryDelayMs } from './event-lines.ts';
import type { components } from './gen/api.ts';
import { ApiError, problemOf } from './pages.ts';
import { pause } from './pause.ts';

type Event = components['schemas']['Event'];

/** A line comes each 15 s. A stream that is silent for longer than this is opened again. */
const silentMs = 40_000;
const notFound = 1003;

/** How events are followed. */
export interface EventsOptions {
  /** Begin after this event; default: with the next one that happens. */
  readonly after?: string;
  readonly signal?: AbortSignal;
  /** The stream ended, and is opened again after so many milliseconds. */
  readonly onBreak?: (error: unknown, retryMs: number) => void;
}

/**
 * The account's events as they happen, without a gap and without a repetition: a stream that ends is opened again after
 * the last event that came. `url` is that of `/events?stream` with its filters. Ends when `signal` aborts. Throws an
 * ApiError where the API refuses the stream for good (its code is below 1500 and not 1006).
 */
export async function* events(
  send: (request: Request) => Promise<Response>,
  url: string,
  { after, signal = new AbortController().signal, onBreak = () => {} }: EventsOptions = {},
): AsyncGenerator<Event, void, undefined> {
  let last = after;
  let failures = 0;
  while (!signal.aborted) {
    let problem: unknown;
    try {
      const headers: Record<string, string> = last === undefined ? {} : { 'Last-Event-ID': last };
      const answer = await send(new Request(url, { headers, signal }));
      if (!answer.ok || answer.body === null) throw new ApiError(answer.status, await problemOf(answer));
      const heard = () => {
        failures = 0;
      };
      for await (const { id, data } of read(answer.body, signal, heard)) {
        last = id ?? last;
        if (data !== undefined) yield JSON.parse(data) as Event;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && isForGood(error)) throw error;
      problem = error;
    }
    if (signal.aborted) return;
    failures += 1;
    const ms = retryDelayMs(failures - 1, Math.random());
    onBreak(problem, ms);
    await pause(ms, signal);
  }
}

/** An event that the account does not have (any more) is refused for good, too: what came after it cannot be told. */
function isForGood({ code = 1500 }: ApiError): boolean {
  return (code < 1500 && code !== 1006) || code === notFound;
}

/** `heard` is called for everything that comes, also for a line that only keeps the stream open. */
async function* read(body: ReadableStream<Uint8Array>, signal: AbortSignal, heard: () => void) {
  const parse = createEventReader();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    while (!signal.aborted) {
      const silent = AbortSignal.any([signal, AbortSignal.timeout(silentMs)]);
      const piece = await Promise.race([reader.read(), aborted(silent)]);
      if (piece === undefined || piece.done) return;
      heard();
      yield* parse(decoder.decode(piece.value, { stream: true }));
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
