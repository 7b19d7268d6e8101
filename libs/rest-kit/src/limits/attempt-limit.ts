import { type Clock, declareState, LRUCache } from '@vantage/kernel';

/** The decision about an attempt: it is counted, or must wait (seconds, at least 1). */
export type LimitedAttempt =
  | { readonly kind: 'counted'; readonly times: readonly number[] }
  | { readonly kind: 'wait'; readonly seconds: number };

/** Attempts of one name in a minute. */
export const attemptsPerMinute = 20;
const windowMs = 60_000;
const maxNames = 10_000;

/** Decides on an attempt at `nowMs` by the times of the attempts before it. */
export function decideAttempt(
  times: readonly number[],
  nowMs: number,
  perMinute: number = attemptsPerMinute,
): LimitedAttempt {
  const recent = times.filter((at) => at > nowMs - windowMs);
  const [first] = recent;
  if (first !== undefined && recent.length >= perMinute)
    return { kind: 'wait', seconds: Math.max(1, Math.ceil((first + windowMs - nowMs) / 1000)) };
  return { kind: 'counted', times: [...recent, nowMs] };
}

/** Counts attempts by name. */
export interface AttemptLimit {
  /**
   * Counts an attempt before its outcome is known. Returns the function that uncounts it after a success, or the
   * seconds to wait.
   */
  begin(name: string): { readonly takeBack: () => void } | { readonly waitS: number };
}

const tracked = declareState({
  name: 'bad_keys_and_guesses',
  entries: maxNames,
  entryBytes: 800,
  filledBy: 'strangers',
  atBound: 'the least recently used is forgotten',
});

/** Creates a limit of attempts a minute. It remembers the 10,000 most recently used names. */
export function createAttemptLimit(
  clock: Pick<Clock, 'monoMs'>,
  perMinute: number = attemptsPerMinute,
): AttemptLimit {
  const timesByName = tracked(new LRUCache<string, readonly number[]>({ max: maxNames }));
  const put = (name: string, times: readonly number[]) => {
    if (times.length > 0) timesByName.set(name, times);
    else timesByName.delete(name);
  };
  return {
    begin(name) {
      const nowMs = clock.monoMs();
      const attempt = decideAttempt(timesByName.get(name) ?? [], nowMs, perMinute);
      if (attempt.kind === 'wait') return { waitS: attempt.seconds };
      put(name, attempt.times);
      return {
        takeBack() {
          const times = [...(timesByName.get(name) ?? [])];
          const at = times.indexOf(nowMs);
          if (at >= 0) put(name, times.toSpliced(at, 1));
        },
      };
    },
  };
}
