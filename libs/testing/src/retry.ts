declare module 'vitest' {
  interface TaskMeta {
    /** The reason why vitest may repeat this test. */
    retryReason?: string;
  }
}

/**
 * Options of a test that may fail because of the machine and not because of the product: real servers, network
 * namespaces, limits of time and memory. Vitest repeats the test. The summary of `npm test` names the reason and every
 * failure. A test of properties, ledgers, leaks or sentinels never uses it, because each of its failures is a finding.
 */
export function retryBecause(reason: string, times = 1): { retry: number; meta: { retryReason: string } } {
  return { retry: times, meta: { retryReason: reason } };
}
