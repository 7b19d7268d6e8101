/** The value below which the share `q` (0 to 1) of the values lies, without those that are NaN; NaN for none. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(q * sorted.length) - 1)] ?? sorted[0] ?? Number.NaN;
}

/** `p50 1200 ms, p99 1900 ms`, of milliseconds. */
export function p50p99(values: readonly number[]): string {
  return `p50 ${quantile(values, 0.5).toFixed(0)} ms, p99 ${quantile(values, 0.99).toFixed(0)} ms`;
}
