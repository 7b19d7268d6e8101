/** At most so many checks a minute, as the policy file says. */
export interface Allowance {
  /** Takes one; else the milliseconds until there is one. */
  take(): { readonly ok: true } | { readonly ok: false; readonly waitMs: number };
}

/** Makes an allowance that fills evenly; two seconds' worth may be taken at one moment. */
export function createAllowance(deps: {
  readonly checksPerMinute: number;
  readonly monoMs: () => number;
}): Allowance {
  const perMs = deps.checksPerMinute / 60_000;
  if (perMs === Number.POSITIVE_INFINITY) return { take: () => ({ ok: true }) };
  const brim = Math.max(1, perMs * 2000);
  let level = brim;
  let atMs = deps.monoMs();
  return {
    take() {
      const nowMs = deps.monoMs();
      level = Math.min(brim, level + (nowMs - atMs) * perMs);
      atMs = nowMs;
      if (level < 1) return { ok: false, waitMs: (1 - level) / perMs };
      level -= 1;
      return { ok: true };
    },
  };
}
