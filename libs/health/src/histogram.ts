/**
 * The logarithmic scale that all roll-ups share, so that histograms of hours, days and Locations add up. Bucket i
 * counts the latencies in (smallest * growth^(i-1), smallest * growth^i]. A percentile read from it is accurate to 2 %.
 */
export const scale = { smallestMs: 0.001, growth: 1.04 } as const;

/** Pairs [bucket, count] with ascending buckets; empty buckets are left out. */
export type Histogram = readonly (readonly number[])[];

/** The bucket of a latency. The SQL of the roll-ups has the same formula. */
function bucketOf(ms: number): number {
  return Math.max(
    0,
    Math.ceil(Math.log(Math.max(ms, scale.smallestMs) / scale.smallestMs) / Math.log(scale.growth)),
  );
}

export function histogramOf(latenciesMs: Iterable<number>): Histogram {
  const counts = new Map<number, number>();
  for (const ms of latenciesMs) counts.set(bucketOf(ms), (counts.get(bucketOf(ms)) ?? 0) + 1);
  return sorted(counts);
}

export function mergeHistograms(histograms: Iterable<Histogram>): Histogram {
  const counts = new Map<number, number>();
  for (const histogram of histograms)
    for (const [bucket = 0, count = 0] of histogram) counts.set(bucket, (counts.get(bucket) ?? 0) + count);
  return sorted(counts);
}

/** The number of latencies in a histogram. */
export function countOf(histogram: Histogram): number {
  let sum = 0;
  // This runs very often, and destructuring costs three times as much.
  for (const pair of histogram) sum += pair[1] ?? 0;
  return sum;
}

/**
 * The latency (milliseconds) that the share `p` (0..1) of all does not exceed, by nearest rank; undefined if empty.
 */
export function percentile(histogram: Histogram, p: number): number | undefined {
  return percentiles(histogram, [p])[0];
}

/** `percentile` of several shares in ascending order, in one pass. */
export function percentiles(histogram: Histogram, shares: readonly number[]): (number | undefined)[] {
  const all = countOf(histogram);
  let [seen, at] = [0, -1];
  return shares.map((share) => {
    const rank = rankOf(all, share);
    while (seen < rank && at + 1 < histogram.length) {
      at += 1;
      seen += histogram[at]?.[1] ?? 0;
    }
    return seen < rank ? undefined : middleMs(histogram[at]?.[0] ?? 0);
  });
}

/** The nearest rank, from 1, of the share `p` (0..1) among `count` values. */
export function rankOf(count: number, p: number): number {
  return Math.max(1, Math.ceil(count * p));
}

/** The value in a bucket with the same relative distance to both ends. */
export function middleMs(bucket: number): number {
  return bucket === 0
    ? scale.smallestMs
    : (2 * scale.smallestMs * scale.growth ** bucket) / (scale.growth + 1);
}

function sorted(counts: ReadonlyMap<number, number>): Histogram {
  return [...counts].sort(([a], [b]) => a - b);
}
