import { declareState, TokenBucket } from '@vantage/kernel';

/** Limits each key separately to a burst and then a rate. */
export interface RateLimiter<K> {
  /** Takes a token; false: there is none. `nowMs` is monotonic. */
  allow(key: K, nowMs: number): boolean;
  /** The number of remembered keys. A key is forgotten when its bucket is full. */
  readonly keys: number;
}

const tracked = declareState({
  name: 'addresses_and_agents_by_rate',
  entries: 100_000,
  entryBytes: 150,
  filledBy: 'strangers, agents',
  atBound: 'new ones do not pass',
});

/** While `maxKeys` keys are in use, new keys do not pass. Pure: time is an argument. */
export function createRateLimiter<K>(limits: {
  readonly burst: number;
  readonly perSecond: number;
  readonly maxKeys: number;
}): RateLimiter<K> {
  const { maxKeys, ...rate } = limits;
  const buckets = tracked(new Map<K, TokenBucket>());
  const forgetFull = (nowMs: number) => {
    for (const [key, bucket] of buckets) if (bucket.isFull(nowMs)) buckets.delete(key);
  };
  return {
    allow(key, nowMs) {
      let bucket = buckets.get(key);
      if (bucket === undefined) {
        if (buckets.size >= maxKeys) forgetFull(nowMs);
        if (buckets.size >= maxKeys) return false;
        bucket = new TokenBucket(rate, nowMs);
        buckets.set(key, bucket);
      }
      return bucket.take(nowMs) === 0;
    },
    get keys() {
      return buckets.size;
    },
  };
}
