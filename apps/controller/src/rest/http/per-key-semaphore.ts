import { createSemaphore, declareShare, declareState, type Semaphore } from '@vantage/kernel';
import { tooMuch } from './problem.ts';

declareShare({
  name: 'requests_of_a_key',
  limit: 'one limit for each key',
  filledBy: 'the key',
  share: '16 running, 64 wait',
});
declareShare({
  name: 'event_streams_of_a_key',
  limit: 'one limit for each key',
  filledBy: 'the key',
  share: '16',
});

/** When a place is waited for and kept. */
export interface Stay {
  /** Aborts when the caller is gone: then it waits no longer. */
  readonly signal: AbortSignal;
  /**
   * Aborts when the answer was sent or its connection is closed: a place is kept until then, so that answers that
   * nobody reads count.
   */
  readonly sent: AbortSignal;
}

/** Bounds what each key, account or network has under way; undefined at once when too much waits already. */
export interface PerKeySemaphore<Key> {
  /** How many of a key run or wait now. */
  size(key: Key): number;
  run<T>(key: Key, work: () => Promise<T>, stay: Stay): Promise<{ readonly value: T } | undefined>;
}

const tracked = declareState({
  name: 'keys_in_work',
  entries: { each: 'running request' },
  entryBytes: 1_000,
  filledBy: 'callers',
  atBound: 'a key without a request leaves',
});

/** Creates the semaphore. A key is remembered only while something of it is under way. */
export function createPerKeySemaphore<Key extends number | string>(places: {
  readonly running: number;
  readonly waiting: number;
}): PerKeySemaphore<Key> {
  const semaphores = tracked(new Map<Key, Semaphore>());
  return {
    size: (key) => semaphores.get(key)?.size ?? 0,
    async run(key, work, { signal, sent }) {
      const own = semaphores.get(key) ?? createSemaphore(places);
      semaphores.set(key, own);
      const forget = () => {
        if (own.size === 0 && semaphores.get(key) === own) semaphores.delete(key);
      };
      try {
        return await own.run(work, signal, sent);
      } finally {
        if (own.size === 0) forget();
        else if (!sent.aborted) sent.addEventListener('abort', forget, { once: true });
      }
    },
  };
}

/** The limits of one key at one time. */
export const keyPlaces = { running: 16, waiting: 64, streams: 16 } as const;

/** Bounds what each key has under way. Throws a Problem (1006) for what is too much. */
export interface KeyLoad {
  /** Runs a request of a key when one of its places is free, and keeps the place until the answer was sent. */
  run<T>(keyNo: number, work: () => Promise<T>, stay: Stay): Promise<T>;
  /** How many requests of a key find room besides the next one. */
  left(keyNo: number): number;
  /** Counts a stream of a key until `closed` aborts. */
  stream(keyNo: number, closed: AbortSignal): void;
}

const trackedStreams = declareState({
  name: 'keys_with_streams',
  entries: { each: 'event stream' },
  entryBytes: 100,
  filledBy: 'keys',
  atBound: '16 streams of a key',
});

/** Creates the load. A key is remembered only while something of it is under way. */
export function createKeyLoad(): KeyLoad {
  const requests = createPerKeySemaphore<number>(keyPlaces);
  const streams = trackedStreams(new Map<number, number>());
  return {
    async run(keyNo, work, stay) {
      const done = await requests.run(keyNo, work, stay);
      if (done === undefined) throw tooMuch('Too many requests of this key are waiting.');
      return done.value;
    },
    left: (keyNo) => Math.max(0, keyPlaces.running + keyPlaces.waiting - requests.size(keyNo) - 1),
    stream(keyNo, closed) {
      const now = streams.get(keyNo) ?? 0;
      if (now >= keyPlaces.streams) throw tooMuch(`This key follows ${keyPlaces.streams} streams already.`);
      if (closed.aborted) return;
      streams.set(keyNo, now + 1);
      const leave = () => {
        const left = (streams.get(keyNo) ?? 1) - 1;
        if (left > 0) streams.set(keyNo, left);
        else streams.delete(keyNo);
      };
      closed.addEventListener('abort', leave, { once: true });
    },
  };
}
