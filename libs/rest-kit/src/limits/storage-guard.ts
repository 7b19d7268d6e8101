import type { Clock } from '@vantage/kernel';
import { Problem, problemCode } from '../serve/problem.ts';

/** After this time a request triggers a check whether the database answers at all. */
const patienceMs = 3_000;
/** A database that does not answer within this time counts as unreachable. */
const answerMs = 2_000;

/** 1503: the storage, or another dependency, is unreachable. */
export function unavailable(what = 'The service is unavailable at the moment.'): Problem {
  return new Problem(problemCode.unavailable, `${what} Try again later.`, {
    headers: { 'Retry-After': '5' },
  });
}

/**
 * Guards requests against a database that hangs (a frozen machine, a cut line): they would wait as long as it does.
 * Slow work continues while the database answers `ask`; otherwise it ends with a Problem (1503).
 */
export function createStorageGuard({
  ask,
  clock,
}: {
  readonly ask: () => Promise<unknown>;
  readonly clock: Clock;
}): <T>(work: Promise<T>) => Promise<T> {
  let current: { readonly sinceMs: number; readonly answer: Promise<boolean> } | undefined;

  const isThere = async (signal: AbortSignal): Promise<boolean> => {
    current ??= {
      sinceMs: clock.monoMs(),
      answer: ask().then(
        () => true,
        () => false,
      ),
    };
    const mine = current;
    void mine.answer.then(() => {
      if (current === mine) current = undefined;
    });
    const leftMs = Math.max(0, mine.sinceMs + answerMs - clock.monoMs());
    return Promise.race([mine.answer, clock.sleep(leftMs, signal).then(() => false)]);
  };

  // Rejects once the work has waited and the database is unreachable. It runs for every request, so it allocates an
  // error and a signal only then.
  const watch = (): Disposable & { readonly away: Promise<never> } => {
    const away = Promise.withResolvers<never>();
    let asking: AbortController | undefined;
    let isDone = false;
    const question = async () => {
      asking ??= new AbortController();
      try {
        if (!(await isThere(asking.signal))) away.reject(unavailable());
        else if (!isDone) timer = clock.timer(patienceMs, () => void question());
      } catch (error) {
        away.reject(error);
      }
    };
    let timer = clock.timer(patienceMs, () => void question());
    return {
      away: away.promise,
      [Symbol.dispose]() {
        isDone = true;
        timer[Symbol.dispose]();
        asking?.abort(new Error('the request is answered'));
      },
    };
  };

  return async (work) => {
    using watching = watch();
    // Whichever loses the race fails unheard.
    watching.away.catch(() => {});
    work.catch(() => {});
    return await Promise.race([work, watching.away]);
  };
}
