/** Limits the checks a minute, as the policy file requires. */
export interface RateLimiter {
  /** Takes a token, or returns the milliseconds until there is one. */
  tryAcquire(): { readonly ok: true } | { readonly ok: false; readonly waitMs: number };
}

/** Creates a token bucket that fills evenly and holds the tokens of two seconds. */
export function createRateLimiter(deps: {
  readonly checksPerMinute: number;
  readonly monoMs: () => number;
}): RateLimiter {
  const perMs = deps.checksPerMinute / 60_000;
  if (perMs === Number.POSITIVE_INFINITY) return { tryAcquire: () => ({ ok: true }) };
  const burst = Math.max(1, perMs * 2000);
  let tokens = burst;
  let atMs = deps.monoMs();
  return {
    tryAcquire() {
      const nowMs = deps.monoMs();
      tokens = Math.min(burst, tokens + (nowMs - atMs) * perMs);
      atMs = nowMs;
      if (tokens < 1) return { ok: false, waitMs: (1 - tokens) / perMs };
      tokens -= 1;
      return { ok: true };
    },
  };
}
