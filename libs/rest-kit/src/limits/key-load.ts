import { declareShare, declareState } from '@vantage/kernel';
import { tooMuch } from '../serve/problem.ts';
import { createPerKeySemaphore, type Stay } from './per-key-semaphore.ts';

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

/** The limits of one key at one time. */
export const keySlots = { running: 16, waiting: 64, streams: 16 } as const;

/** Bounds what each key has under way. Throws a Problem (1006) for what is too much. */
export interface KeyLoad {
  /** Runs a request of a key when one of its slots is free. The slot is occupied until the answer is sent. */
  run<T>(keyNo: number, work: () => Promise<T>, stay: Stay): Promise<T>;
  /** The number of further requests of a key that would be admitted. */
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
  const requests = createPerKeySemaphore<number>(keySlots);
  const streams = trackedStreams(new Map<number, number>());
  return {
    async run(keyNo, work, stay) {
      const done = await requests.run(keyNo, work, stay);
      if (done === undefined) throw tooMuch('Too many requests of this key are waiting.');
      return done.value;
    },
    left: (keyNo) => Math.max(0, keySlots.running + keySlots.waiting - requests.size(keyNo) - 1),
    stream(keyNo, closed) {
      const now = streams.get(keyNo) ?? 0;
      if (now >= keySlots.streams) throw tooMuch(`This key follows ${keySlots.streams} streams already.`);
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
