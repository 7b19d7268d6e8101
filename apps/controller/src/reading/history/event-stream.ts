import { type Clock, isId } from '@vantage/kernel';
import type { Call } from '@vantage/rest-kit/route';
import type { Session } from '@vantage/rest-kit/session';
import { isTransientDbError } from '@vantage/storage';
import type { EventFeed } from './event-feed.ts';
import { type EventFilter, listEventsAfter, type NumberedEvent } from './event-store.ts';

/** The wait of a browser before it reconnects, milliseconds. */
const comeBackMs = 2_000;
const heartbeatMs = 15_000;
const heartbeat = ':\n\n';
const retryMs = 1_000;
/** Events read at once: what a slow reader may hold in memory. */
const pageRows = 50;
/** Numbers looked through by one query: other accounts' events lie between. */
const rangeNos = 20_000;

/**
 * Follows an account's events and writes them as server-sent events, until the signal aborts. `afterNo` is the last one
 * that the reader has; `gone` aborts when the reader has disconnected.
 */
export async function openEventStream(
  {
    clock,
    feed,
    show,
  }: {
    readonly clock: Clock;
    readonly feed: EventFeed;
    readonly show: (event: NumberedEvent, session: Session) => object;
  },
  ask: {
    readonly session: () => Session;
    readonly scoped: Call<unknown, unknown, unknown>['scoped'];
    readonly afterNo: number | undefined;
    readonly filter: EventFilter;
    readonly gone: AbortSignal;
  },
): Promise<(signal: AbortSignal) => AsyncGenerator<string>> {
  const { accountNo } = ask.session();
  const follower = await feed.follow(accountNo);
  ask.gone.addEventListener('abort', () => follower[Symbol.dispose]());
  if (ask.gone.aborted) follower[Symbol.dispose]();

  const page = async (afterNo: number): Promise<{ readonly atNo: number; readonly text: string }> => {
    const upToNo = Math.min(follower.upTo, afterNo + rangeNos);
    const range = { afterNo, upToNo, limit: pageRows, filter: ask.filter };
    const rows = await ask.scoped((db) => listEventsAfter(db, accountNo, range));
    const text = rows.map((row) => block(row.event_id, show(row, ask.session()))).join('');
    return { atNo: rows.length < pageRows ? upToNo : (rows.at(-1)?.event_no ?? upToNo), text };
  };

  return async function* stream(signal) {
    let atNo = ask.afterNo ?? follower.upTo;
    let sentMs = clock.monoMs();
    const untilBeatMs = () => Math.max(0, sentMs + heartbeatMs - clock.monoMs());
    yield `retry: ${comeBackMs}\n: events of the account, as they are recorded\nid: ${positionId(atNo)}\n\n`;
    while (!signal.aborted) {
      let pauseMs = heartbeatMs;
      try {
        while (atNo < follower.upTo && !signal.aborted) {
          const next = await page(atNo);
          atNo = next.atNo;
          // Events that the filter leaves out come without end in a busy account, and proxies cut what is silent.
          if (next.text === '' && untilBeatMs() > 0) continue;
          yield next.text || heartbeat;
          sentMs = clock.monoMs();
        }
      } catch (error) {
        if (!isTransientDbError(error)) throw error;
        pauseMs = retryMs;
      }
      await follower.wait(Math.min(pauseMs, untilBeatMs()), signal);
      if (signal.aborted || untilBeatMs() > 0) continue;
      yield heartbeat;
      sentMs = clock.monoMs();
    }
  };
}

/** Sixteen hex digits of a number come after these. No event has such an id: ids are random. */
const positionBegin = '0'.repeat(32);

/**
 * The id of a position in a stream, after the event with this number. A reader that has had no event yet, also of an
 * account without events, comes back with it.
 */
function positionId(eventNo: number): string {
  return `${positionBegin}${eventNo.toString(16).padStart(16, '0')}`;
}

/** The number in the id of a position; undefined for the id of an event. Pure. */
export function positionOf(id: string): number | undefined {
  if (!isId(id) || !id.startsWith(positionBegin)) return undefined;
  return Number.parseInt(id.slice(positionBegin.length), 16);
}

/** One event (HTML standard, "server-sent events"); JSON has no line breaks of its own. */
function block(id: string, data: object): string {
  return `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}
