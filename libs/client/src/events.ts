import { retryDelayMs } from './event-lines.ts';
import { readEventStream } from './event-stream.ts';
import type { components } from './gen/api.ts';
import { ApiError, problemOf } from './pages.ts';
import { pause } from './pause.ts';

type Event = components['schemas']['Event'];

const notFound = 1003;

export interface EventsOptions {
  /** Begin after this event; default: with the next event that happens. */
  readonly after?: string;
  readonly signal?: AbortSignal;
  /** Called when the stream ended. It is opened again after `retryMs`. */
  readonly onBreak?: (error: unknown, retryMs: number) => void;
}

/**
 * The account's events as they happen, without gaps and repetitions: a stream that ends is opened again after the last
 * event that arrived. `url` is that of `/events?stream` with its filters. Ends when `signal` aborts. Throws an ApiError
 * if the API refuses the stream permanently (a code below 1500 except 1006).
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
      const onData = () => {
        failures = 0;
      };
      for await (const { id, data } of readEventStream(answer.body, signal, onData)) {
        last = id ?? last;
        if (data !== undefined) yield JSON.parse(data) as Event;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && isPermanent(error)) throw error;
      problem = error;
    }
    if (signal.aborted) return;
    failures += 1;
    const ms = retryDelayMs(failures - 1, Math.random());
    onBreak(problem, ms);
    await pause(ms, signal);
  }
}

/** Not found is permanent too: the account no longer has the event after which the stream was to begin. */
function isPermanent({ code = 1500 }: ApiError): boolean {
  return (code < 1500 && code !== 1006) || code === notFound;
}
