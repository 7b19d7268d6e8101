import { dayMs, hourMs } from '@vantage/domain/units';
import type { TimeSpan } from './time-range.ts';

const minuteMs = 60_000;

/** The buckets of values in the API with their length. */
const bucketMs = {
  '5Min': 5 * minuteMs,
  '30Min': 30 * minuteMs,
  Hour: hourMs,
  '6Hour': 6 * hourMs,
  Day: dayMs,
} as const;
export type ValueBucketName = keyof typeof bucketMs | 'Raw';
const bucketNames = ['5Min', '30Min', 'Hour', '6Hour', 'Day'] as const;

const maxBuckets = 400;
/** Charts that are shown at a time. */
export const maxCharts = 6;

/**
 * The narrowest bucket with which a span has at most 400 buckets, each of two pixels or more; single checks where they
 * are so few. `periodMs` is the time between checks. Pure.
 */
export function valueBucketFor(
  { from, to }: TimeSpan,
  pixels: number,
  periodMs: number,
): { readonly name: ValueBucketName; readonly ms: number } {
  const most = Math.min(maxBuckets, pixels / 2);
  if ((to - from) / periodMs <= most) return { name: 'Raw', ms: periodMs };
  const name = bucketNames.find((each) => (to - from) / bucketMs[each] <= most) ?? 'Day';
  return { name, ms: bucketMs[name] };
}

/** A bucket of a label in the API. */
interface ApiBucket {
  readonly Start: string;
  readonly Min: number;
  readonly Mean: number;
  readonly Max: number;
  readonly P95: number;
}

/** A bucket as it is drawn. */
export interface ValueStep extends TimeSpan {
  readonly min: number;
  readonly mean: number;
  readonly max: number;
  readonly p95: number;
}

/**
 * Buckets as steps, each until the next one if that follows. A longer pause is a gap: a step ends after its own length.
 * Pure.
 */
export function valueSteps(
  buckets: readonly ApiBucket[],
  stepMs: number,
  { to }: TimeSpan,
): readonly ValueStep[] {
  return buckets.map(({ Start, Min, Mean, Max, P95 }, at) => {
    const from = Date.parse(Start);
    const next = Date.parse(buckets[at + 1]?.Start ?? '');
    const end = next - from <= stepMs * 1.5 ? next : from + stepMs;
    return { from, to: Math.min(end, to), min: Min, mean: Mean, max: Max, p95: P95 };
  });
}

/** The next 1, 2, 4 or 10 × 10ⁿ of a positive amount. */
function niceTop(amount: number): number {
  const power = 10 ** Math.floor(Math.log10(amount));
  return [1, 2, 4, 10].map((factor) => factor * power).find((top) => top >= amount * 0.999_999) ?? 10 * power;
}

/** The bottom and the top of a chart: from 0, unless all values are far from it compared with their range. Pure. */
export function valueScale(steps: readonly ValueStep[]): { readonly bottom: number; readonly top: number } {
  const min = steps.reduce((least, step) => Math.min(least, step.min), Number.POSITIVE_INFINITY);
  const max = steps.reduce((most, step) => Math.max(most, step.max), Number.NEGATIVE_INFINITY);
  if (steps.length === 0 || (min === 0 && max === 0)) return { bottom: 0, top: 1 };
  const range = max - min;
  const isFar = range > 0 && range < Math.min(Math.abs(min), Math.abs(max)) * 0.1 && min > 0 === max > 0;
  if (isFar) {
    const step = niceTop(range / 2);
    return { bottom: Math.floor(min / step) * step, top: Math.ceil(max / step) * step };
  }
  return { bottom: min < 0 ? -niceTop(-min) : 0, top: max > 0 ? niceTop(max) : 0 };
}

/** Labels as one parameter of the API, and of the page's address. Pure. */
export function labelList(labels: readonly string[]): string {
  return labels.map((label) => label.replaceAll(',', '\\,')).join(',');
}

/** The labels in such a parameter. Pure. */
export function labelsIn(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<!\\),/).map((label) => label.replaceAll('\\,', ','));
}

/** The labels whose charts are shown: the chosen ones that exist, or else the first. Pure. */
export function chartedLabels(all: readonly string[], chosen: readonly string[]): readonly string[] {
  const known = chosen.filter((label) => all.includes(label));
  return (known.length > 0 ? known : all).slice(0, maxCharts);
}
