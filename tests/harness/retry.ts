declare module 'vitest' {
  interface TaskMeta {
    /** Why this test may be tried again. */
    retryReason?: string;
  }
}

/**
 * Options of a test that may fail for a reason that lies in the machine, not in the product: real servers, network
 * namespaces, limits of time and memory. It is tried again; the summary of `npm test` names the reason and every failure.
 * A test of properties, ledgers, leaks or sentinels never uses it: what it found once is a finding.
 */
export function retryBecause(reason: string, times = 1): { retry: number; meta: { retryReason: string } } {
  return { retry: times, meta: { retryReason: reason } };
}
