import type { Clock } from '@vantage/kernel';
import { declareState } from '@vantage/kernel';

/** The decision about an attempt: it is counted, or must wait (seconds, at least 1). */
export type Attempt =
  | { readonly kind: 'counted'; readonly times: readonly number[] }
  | { readonly kind: 'wait'; readonly seconds: number };

/** Attempts that one name has in a minute. */
export const attemptsPerMinute = 20;
const windowMs = 60_000;
const namesKept = 10_000;

/** Decides on an attempt at `nowMs` by the times of those before it that still count. */
export function decideAttempt(
  times: readonly number[],
  nowMs: number,
  perMinute: number = attemptsPerMinute,
): Attempt {
  const recent = times.filter((at) => at > nowMs - windowMs);
  const [first] = recent;
  if (first !== undefined && recent.length >= perMinute)
    return { kind: 'wait', seconds: Math.max(1, Math.ceil((first + windowMs - nowMs) / 1000)) };
  return { kind: 'counted', times: [...recent, nowMs] };
}

/** Counts attempts by name. */
export interface AttemptLimit {
  /** Counts an attempt before it is made. Returns what takes it back when it turns out well, or the seconds to wait. */
  begin(name: string): { readonly takeBack: () => void } | { readonly waitS: number };
}

const tracked = declareState({
  name: 'bad_keys_and_guesses',
  entries: namesKept,
  entryBytes: 800,
  filledBy: 'strangers',
  atBound: 'the least used is forgotten',
});

/** Creates a limit of attempts a minute. It remembers the 10,000 names that were used last. */
export function createAttemptLimit(
  clock: Pick<Clock, 'monoMs'>,
  perMinute: number = attemptsPerMinute,
): AttemptLimit {
  const kept = tracked(new Map<string, readonly number[]>());
  const put = (name: string, times: readonly number[]) => {
    kept.delete(name); // set anew, so that the map's order is by last use
    if (times.length > 0) kept.set(name, times);
    const oldest = kept.keys().next().value;
    if (kept.size > namesKept && oldest !== undefined) kept.delete(oldest);
  };
  return {
    begin(name) {
      const nowMs = clock.monoMs();
      const attempt = decideAttempt(kept.get(name) ?? [], nowMs, perMinute);
      if (attempt.kind === 'wait') return { waitS: attempt.seconds };
      put(name, attempt.times);
      return {
        takeBack() {
          const times = [...(kept.get(name) ?? [])];
          const at = times.indexOf(nowMs);
          if (at >= 0) put(name, times.toSpliced(at, 1));
        },
      };
    },
  };
}
