/**
 * Latencies on a log scale that all roll-ups share, so that histograms of hours, days and Locations add up. Bucket i
 * holds the milliseconds in (smallest * growth^(i-1), smallest * growth^i]; a percentile read from it is within 2 % of
 * the truth.
 */
export const scale = { smallestMs: 0.001, growth: 1.04 } as const;

/** Pairs [bucket, count], buckets ascending; empty ones are left out. */
export type Histogram = readonly (readonly number[])[];

/** The bucket of a latency. The roll-ups' SQL says the same formula. */
function bucketOf(ms: number): number {
  return Math.max(
    0,
    Math.ceil(Math.log(Math.max(ms, scale.smallestMs) / scale.smallestMs) / Math.log(scale.growth)),
  );
}

/** The histogram of some latencies, milliseconds. */
export function histogramOf(latenciesMs: Iterable<number>): Histogram {
  const counts = new Map<number, number>();
  for (const ms of latenciesMs) counts.set(bucketOf(ms), (counts.get(bucketOf(ms)) ?? 0) + 1);
  return sorted(counts);
}

/** Adds histograms up. */
export function mergeHistograms(histograms: Iterable<Histogram>): Histogram {
  const counts = new Map<number, number>();
  for (const histogram of histograms)
    for (const [bucket = 0, count = 0] of histogram) counts.set(bucket, (counts.get(bucket) ?? 0) + count);
  return sorted(counts);
}

/** How many latencies a histogram holds. */
export function countOf(histogram: Histogram): number {
  let sum = 0;
  // Read in great numbers: a destructuring costs three times as much.
  for (const pair of histogram) sum += pair[1] ?? 0;
  return sum;
}

/**
 * The latency (milliseconds) that the share `p` (0..1) of all does not exceed, by the nearest rank; undefined when
 * empty.
 */
export function percentile(histogram: Histogram, p: number): number | undefined {
  return percentiles(histogram, [p])[0];
}

/** `percentile` of several shares, ascending, which are read together. */
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

/** The nearest rank of the share `p` (0..1) among so many, from 1. */
export function rankOf(count: number, p: number): number {
  return Math.max(1, Math.ceil(count * p));
}

/** The value of a bucket whose relative error is the same to both its ends. */
export function middleMs(bucket: number): number {
  return bucket === 0
    ? scale.smallestMs
    : (2 * scale.smallestMs * scale.growth ** bucket) / (scale.growth + 1);
}

function sorted(counts: ReadonlyMap<number, number>): Histogram {
  return [...counts].sort(([a], [b]) => a - b);
}
