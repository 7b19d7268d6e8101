import type { Clock } from '@vantage/kernel';
import { Problem, problemCode } from './problem.ts';

/** A request that takes this long makes us ask whether the database is there at all. */
const patienceMs = 3_000;
/** A database that does not answer within this is away. */
const answerMs = 2_000;

/** 1503: the storage, or something else that we stand on, is away. */
export function unavailable(): Problem {
  return new Problem(problemCode.unavailable, 'The service is unavailable at the moment. Try again later.', {
    headers: { 'Retry-After': '5' },
  });
}

/**
 * Guards requests against a database that is neither there nor gone (a frozen machine, a cut line): whatever waits for it would wait as long as it
 * does. Work that takes long while the database answers `ask` goes on; else it is given up with a Problem (1503).
 */
export function createStorageGuard({
  ask,
  clock,
}: {
  readonly ask: () => Promise<unknown>;
  readonly clock: Clock;
}): <T>(work: Promise<T>) => Promise<T> {
  let asking: { readonly sinceMs: number; readonly answer: Promise<boolean> } | undefined;

  const isThere = async (signal: AbortSignal): Promise<boolean> => {
    asking ??= {
      sinceMs: clock.monoMs(),
      answer: ask().then(
        () => true,
        () => false,
      ),
    };
    const mine = asking;
    void mine.answer.then(() => {
      if (asking === mine) asking = undefined;
    });
    const leftMs = Math.max(0, mine.sinceMs + answerMs - clock.monoMs());
    return Promise.race([mine.answer, clock.sleep(leftMs, signal).then(() => false)]);
  };

  return async (work) => {
    const done = new AbortController();
    const giveUp = async (): Promise<never> => {
      do await clock.sleep(patienceMs, done.signal);
      while (await isThere(done.signal));
      throw unavailable();
    };
    const watching = giveUp();
    // Whichever loses the race fails unheard.
    watching.catch(() => {});
    work.catch(() => {});
    try {
      return await Promise.race([work, watching]);
    } finally {
      done.abort(new Error('the request is answered'));
    }
  };
}
