import { TokenBucket } from '@vantage/kernel';

/** Limits the checks a minute, as the policy file requires. */
export interface CheckRateLimiter {
  /** Takes a token, or returns the milliseconds until there is one. */
  tryAcquire(): { readonly ok: true } | { readonly ok: false; readonly waitMs: number };
}

/** A burst has the checks of two seconds. */
export function createCheckRateLimiter(deps: {
  readonly checksPerMinute: number;
  readonly monoMs: () => number;
}): CheckRateLimiter {
  const perSecond = deps.checksPerMinute / 60;
  if (perSecond === Number.POSITIVE_INFINITY) return { tryAcquire: () => ({ ok: true }) };
  const bucket = new TokenBucket({ burst: Math.max(1, perSecond * 2), perSecond }, deps.monoMs());
  return {
    tryAcquire() {
      const waitMs = bucket.take(deps.monoMs());
      return waitMs === 0 ? { ok: true } : { ok: false, waitMs };
    },
  };
}
