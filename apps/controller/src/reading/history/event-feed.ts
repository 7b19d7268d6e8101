import { type Clock, declareState, type Logger, messageOf } from '@vantage/kernel';
import type { Database } from '@vantage/storage';
import { readAccountsBetween, readLastEventNo, readWriters } from './event-store.ts';

/** The position of one account in the feed. */
interface Follower extends Disposable {
  /** Every event up to this number is readable now, or its transaction was rolled back. */
  readonly upTo: number;
  /** Resolves with true when there is more for this account; with false after `ms`, or when `signal` aborts. */
  wait(ms: number, signal: AbortSignal): Promise<boolean>;
}

/** Knows up to which number events are complete, for all streams of this process. */
export interface EventFeed extends AsyncDisposable {
  /**
   * Begins to follow an account. An event that is recorded after this resolves has a number above the follower's first
   * `upTo`.
   */
  follow(accountNo: number): Promise<Follower>;
  /** Streams that follow events now. */
  readonly followers: number;
}

/** The feed reads the events this often when no notification comes. */
const pollMs = 2_000;
const retryMs = 1_000;
/** Our transactions end within seconds. The streams do not wait for a longer one. */
const writerMs = 30_000;

interface Entry {
  readonly accountNo: number;
  upTo: number;
  /** There are events that the follower has not read. */
  more: boolean;
  notify: () => void;
}

const tracked = declareState({
  name: 'event_streams',
  entries: { each: 'event stream' },
  entryBytes: 20_000,
  filledBy: 'keys',
  atBound: '16 streams of a key',
});

/**
 * Creates the feed. It sends no query while it has no follower. The database numbers events at insertion, but shows
 * them at commit. Therefore an event with a smaller number may appear after an event with a larger one. A number is
 * settled when every transaction that wrote events at that time has ended. Such a transaction holds a lock on the table
 * until its commit.
 */
export function createEventFeed({
  db,
  clock,
  log,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
}): EventFeed {
  const entries = tracked(new Set<Entry>());
  const ending = new AbortController();
  let settledNo = 0;
  let running: Promise<void> | undefined;
  let poked = false;
  let wake = () => {};
  const poke = () => {
    poked = true;
    wake();
  };

  const settle = async (): Promise<number> => {
    const lastNo = await readLastEventNo(db);
    if (lastNo > settledNo) await writersEnded({ db, clock, log }, ending.signal);
    return Math.max(lastNo, settledNo);
  };

  const advance = async (): Promise<void> => {
    const upTo = await settle();
    if (upTo <= settledNo) return;
    const accounts = await readAccountsBetween(db, settledNo, upTo);
    settledNo = upTo;
    for (const entry of entries) {
      entry.upTo = Math.max(entry.upTo, upTo);
      if (!accounts.has(entry.accountNo)) continue;
      entry.more = true;
      entry.notify();
    }
  };

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      if (poked || ending.signal.aborted) return resolve();
      const timer = clock.timer(ms, () => wake());
      wake = () => {
        timer[Symbol.dispose]();
        wake = () => {};
        resolve();
      };
    });

  const run = async (): Promise<void> => {
    const listening = db.subscribe('events', poke).catch(() => undefined);
    while (entries.size > 0 && !ending.signal.aborted) {
      poked = false;
      try {
        await advance();
        await pause(pollMs);
      } catch (error) {
        log.debug({ error: messageOf(error) }, 'events cannot be followed; trying again');
        await clock.sleep(retryMs, ending.signal).catch(() => {});
      }
    }
    void listening.then((heard) => heard?.[Symbol.asyncDispose]());
  };
  const ensureRunning = () => {
    running ??= run().finally(() => {
      running = undefined;
      if (entries.size > 0 && !ending.signal.aborted) ensureRunning();
    });
  };

  const wait = (entry: Entry, ms: number, signal: AbortSignal): Promise<boolean> =>
    new Promise((resolve) => {
      const notify = () => {
        timer[Symbol.dispose]();
        signal.removeEventListener('abort', notify);
        entry.notify = () => {};
        resolve(entry.more);
        entry.more = false;
      };
      const timer = clock.timer(ms, notify);
      entry.notify = notify;
      signal.addEventListener('abort', notify);
      if (entry.more || signal.aborted) notify();
    });

  return {
    async follow(accountNo) {
      const upTo = await settle();
      if (entries.size === 0) settledNo = Math.max(settledNo, upTo);
      const entry: Entry = { accountNo, upTo, more: false, notify: () => {} };
      entries.add(entry);
      poke();
      ensureRunning();
      return {
        get upTo() {
          return entry.upTo;
        },
        wait: (ms, signal) => wait(entry, ms, signal),
        [Symbol.dispose]() {
          entries.delete(entry);
          if (entries.size === 0) poke();
        },
      };
    },
    get followers() {
      return entries.size;
    },
    async [Symbol.asyncDispose]() {
      ending.abort(new Error('the feed of events ends'));
      poke();
      await running;
    },
  };
}

/** Resolves when every transaction that writes events now has ended, or after `writerMs`. */
async function writersEnded(
  { db, clock, log }: { readonly db: Database; readonly clock: Clock; readonly log: Logger },
  signal: AbortSignal,
): Promise<void> {
  const untilMs = clock.monoMs() + writerMs;
  for (let writers = await readWriters(db), pauseMs = 10; writers.size > 0; pauseMs *= 2) {
    if (clock.monoMs() > untilMs) {
      log.warn({ writers: [...writers] }, 'a transaction that writes events does not end');
      return;
    }
    await clock.sleep(Math.min(pauseMs, 200), signal);
    const still = await readWriters(db);
    writers = new Set([...writers].filter((writer) => still.has(writer)));
  }
}
