import { idField, timestampField } from '@vantage/rest-kit/field';
import { type PhaseCounts, phaseColumns, phaseRadix, readPhaseCounts } from '@vantage/storage';
import { z } from 'zod';
import type { LatencyScale, Tally } from './statistics-store.ts';

/** Histograms of latencies as the roll-ups keep them. */
export interface Histograms {
  readonly scale: LatencyScale;
  merge(histograms: Iterable<Tally['histogram']>): Tally['histogram'];
  /** Milliseconds that these shares (0..1, ascending) do not exceed; undefined when empty. */
  percentiles(histogram: Tally['histogram'], shares: readonly number[]): readonly (number | undefined)[];
  /** The nearest rank of the share `p` among `count` values, from 1. */
  readonly rankOf: (count: number, p: number) => number;
  /** The milliseconds that a slot of the scale represents. */
  readonly middleMs: (slot: number) => number;
}

/** Optional parts of a row of statistics. */
export const statisticsParts = ['Phases', 'Histogram'] as const;
export type StatisticsPart = (typeof statisticsParts)[number];

const percent = z.number().min(0).max(100).nullable();
const time = z.number().min(0).nullable();
const phase = z
  .strictObject({
    Mean: time
      .describe('Mean of good checks, milliseconds; a check without the phase counts as 0.')
      .meta({ example: 1.4 }),
    P50: time.describe('Percentiles, within 2 percent.').meta({ example: 1.2 }),
    P95: time.meta({ example: 2.3 }),
  })
  .describe('The times of one phase over a bucket.')
  .meta({ id: 'PhaseStatistics' });
const phaseExample = { Mean: 1.4, P50: 1.2, P95: 2.3 };

/** Figures of a bucket at a Location. */
export const statisticsRow = z
  .strictObject({
    Timestamp: timestampField.describe('Begin of the bucket.'),
    Location: z.string(),
    location_id: idField.nullable(),
    Count: z.int().describe('Regular checks. Errors, Availability, Loss and all times are of these only.'),
    Retries: z.int().describe('Retries after an error; not in Count.'),
    OnRequest: z.int().describe('Checks on request; not in Count.'),
    Errors: z.int().describe('Checks that found an error (ResultCode 2 to 8).'),
    Inconclusive: z.int().describe('Checks that say nothing about the device (ResultCode 9 and 10).'),
    Availability: percent.describe(
      'Percent of good checks among those that say something; null: there is none.',
    ),
    Loss: percent.describe('Percent of PING packets lost; null: none was sent.'),
    MinTime: time.describe('Least RequestTime of good checks, milliseconds.'),
    MeanTime: time,
    MaxTime: time,
    P50: time.describe('Percentiles of RequestTime, within 2 percent.'),
    P90: time,
    P95: time,
    P99: time,
    Phases: z
      .strictObject({ DNSTime: phase, ConnectTime: phase, SSLTime: phase, TTFB: phase, TTLB: phase })
      .nullable()
      .optional()
      .describe(
        'With=Phases: the phases of good checks, milliseconds. Null: there was no good check, or its phases are not kept.',
      )
      .meta({
        example: {
          DNSTime: phaseExample,
          ConnectTime: phaseExample,
          SSLTime: phaseExample,
          TTFB: phaseExample,
          TTLB: phaseExample,
        },
      }),
    Histogram: z
      .array(z.array(z.number()).length(2))
      .optional()
      .describe(
        'With=Histogram: the number of good checks with a RequestTime up to this many milliseconds and above the entry before, as [UpTo, Count]. Each UpTo is on a scale of steps of 4 percent; empty entries are left out.',
      )
      .meta({
        example: [
          [12.4, 55],
          [12.9, 5],
        ],
      }),
  })
  .meta({ id: 'Statistics' });

/** The figures of all tallies of a bucket. Pure. */
export function figuresOf(
  parts: readonly Tally[],
  histograms: Histograms,
  requested: ReadonlySet<StatisticsPart>,
): Omit<z.input<typeof statisticsRow>, 'Timestamp' | 'Location' | 'location_id'> {
  const sum = (read: (tally: Tally) => number) => parts.reduce((all, tally) => all + read(tally), 0);
  const count = sum(({ checks }) => checks);
  const errors = sum((tally) => tally.errors);
  const inconclusive = sum((tally) => tally.inconclusive);
  const good = sum(goodOf);
  const sent = sum((tally) => tally.sent);
  const [only] = parts;
  const histogram =
    parts.length === 1 && only !== undefined
      ? only.histogram
      : histograms.merge(parts.map((tally) => tally.histogram));
  const withGood = parts.filter((tally) => goodOf(tally) > 0);
  const least = Math.min(...withGood.map((tally) => tally.min_ms));
  const most = Math.max(...withGood.map((tally) => tally.max_ms));
  const orNull = (value: number | undefined) => (value === undefined || good === 0 ? null : rounded(value));
  // A histogram knows its latencies within 2 percent; the extremes are known exactly.
  const [p50, p90, p95, p99] = histograms
    .percentiles(histogram, [0.5, 0.9, 0.95, 0.99])
    .map((found) => orNull(found === undefined ? undefined : Math.min(most, Math.max(least, found))));
  return {
    Count: count,
    Retries: sum(({ retries }) => retries),
    OnRequest: sum(({ on_request }) => on_request),
    Errors: errors,
    Inconclusive: inconclusive,
    Availability: good + errors === 0 ? null : Math.round((good / (good + errors)) * 1e6) / 1e4,
    Loss: sent === 0 ? null : Math.round((sum((tally) => tally.lost) / sent) * 1e6) / 1e4,
    MinTime: orNull(least),
    MeanTime: orNull(sum((tally) => tally.sum_ms) / Math.max(1, good)),
    MaxTime: orNull(most),
    P50: p50 ?? null,
    P90: p90 ?? null,
    P95: p95 ?? null,
    P99: p99 ?? null,
    ...(requested.has('Phases') && { Phases: phasesOf(withGood, histograms) }),
    ...(requested.has('Histogram') && { Histogram: showHistogram(histogram, histograms.scale) }),
  };
}

function goodOf({ checks, errors, inconclusive }: Tally): number {
  return checks - errors - inconclusive;
}

/** The phases of tallies with good checks, of those whose phases are known; null: of none. */
function phasesOf(tallies: readonly Tally[], { rankOf, middleMs, scale }: Histograms) {
  const known = tallies.filter((tally) => tally.phase_sums !== null);
  if (known.length === 0) return null;
  const good = known.reduce((all, tally) => all + goodOf(tally), 0);
  const counts = readPhaseCounts(known.map(({ phase_histogram: bytes }) => bytes ?? new Uint8Array()));
  const slots = phaseSlots(counts, { good, rankOf });
  const shown = (at: number) => {
    const slot = slots[at] ?? -1;
    const ms = slot < 0 ? 0 : middleMs(slot);
    return ms <= scale.smallestMs ? 0 : rounded(ms);
  };
  const [dns, connect, ssl, ttfb, ttlb] = phaseColumns.map((_, at) => {
    const sumMs = known.reduce((sum, tally) => sum + (tally.phase_sums?.[at] ?? 0), 0);
    return { Mean: rounded(sumMs / good), P50: shown(2 * at), P95: shown(2 * at + 1) };
  });
  const none = { Mean: 0, P50: 0, P95: 0 };
  return {
    DNSTime: dns ?? none,
    ConnectTime: connect ?? none,
    SSLTime: ssl ?? none,
    TTFB: ttfb ?? none,
    TTLB: ttlb ?? none,
  };
}

/**
 * The slots of the log scale that hold P50 and P95 of each phase, in the order of `phaseColumns`; -1: the check of that
 * rank was without the phase, because a phase of 0 ms is in no slot. Three months by hour come here with a third of a
 * million entries, so the loops work on typed arrays alone. Pure.
 */
function phaseSlots(
  { entries, counts }: PhaseCounts,
  { good, rankOf }: Pick<Histograms, 'rankOf'> & { readonly good: number },
): Int32Array {
  const timed = new Float64Array(phaseRadix);
  for (let i = 0; i < entries.length; i += 1) {
    const phase = (entries[i] ?? 0) % phaseRadix;
    timed[phase] = (timed[phase] ?? 0) + (counts[i] ?? 0);
  }
  const seen = timed.map((n) => Math.max(0, good - n));
  const middle = timed.map((n) => rankOf(Math.max(good, n), 0.5));
  const high = timed.map((n) => rankOf(Math.max(good, n), 0.95));
  const slots = new Int32Array(2 * phaseRadix).fill(-1);
  for (let i = 0; i < entries.length; i += 1) {
    const entry = entries[i] ?? 0;
    const phase = entry % phaseRadix;
    const before = seen[phase] ?? 0;
    const upTo = before + (counts[i] ?? 0);
    seen[phase] = upTo;
    const [p50, p95] = [middle[phase] ?? 0, high[phase] ?? 0];
    if (before < p50 && p50 <= upTo) slots[2 * phase] = (entry - phase) / phaseRadix;
    if (before < p95 && p95 <= upTo) slots[2 * phase + 1] = (entry - phase) / phaseRadix;
  }
  return slots;
}

function showHistogram(histogram: Tally['histogram'], scale: LatencyScale): [number, number][] {
  return histogram.map(([slot = 0, n = 0]) => [rounded(scale.smallestMs * scale.growth ** slot), n]);
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
