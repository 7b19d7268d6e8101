import { declareState } from '@vantage/kernel';
/** Lets a burst pass, then so many a second, for each key by itself. */
export interface RateLimiter<K> {
  /** Whether one more may pass now; `nowMs` is monotonic. */
  allow(key: K, nowMs: number): boolean;
  /** The number of remembered keys. The limiter forgets a key that was unused long enough. */
  readonly keys: number;
}

const tracked = declareState({
  name: 'addresses_and_agents_by_rate',
  entries: 100_000,
  entryBytes: 150,
  filledBy: 'strangers, agents',
  atBound: 'new ones do not pass',
});

/** Creates a limiter. Beyond `maxKeys` keys in use at one time, new ones do not pass. Pure: time is an argument. */
export function createRateLimiter<K>(limits: {
  readonly burst: number;
  readonly perSecond: number;
  readonly maxKeys: number;
}): RateLimiter<K> {
  const { burst, perSecond, maxKeys } = limits;
  const tokens = tracked(new Map<K, { readonly left: number; readonly atMs: number }>());
  const leftAt = ({ left, atMs }: { left: number; atMs: number }, nowMs: number) =>
    Math.min(burst, left + ((nowMs - atMs) / 1000) * perSecond);
  const forgetFull = (nowMs: number) => {
    for (const [key, bucket] of tokens) if (leftAt(bucket, nowMs) >= burst) tokens.delete(key);
  };
  return {
    allow(key, nowMs) {
      const bucket = tokens.get(key);
      if (bucket === undefined && tokens.size >= maxKeys) {
        forgetFull(nowMs);
        if (tokens.size >= maxKeys) return false;
      }
      const left = bucket === undefined ? burst : leftAt(bucket, nowMs);
      const passes = left >= 1;
      tokens.set(key, { left: passes ? left - 1 : left, atMs: nowMs });
      return passes;
    },
    get keys() {
      return tokens.size;
    },
  };
}
