import { fitSlope, type Point } from '../slope.ts';

/** A rule about a series, and the reason for its bound. */
export type Rule =
  | { readonly kind: 'slope'; readonly maxPerHour: number; readonly reason: string }
  | { readonly kind: 'level'; readonly most: number; readonly reason: string };

/** Values over time (hours since the start) and the rule that they must obey. */
export interface Series {
  readonly name: string;
  readonly unit: string;
  readonly points: readonly Point[];
  readonly rule: Rule;
}

/** A judged series: its figures after the warm-up. */
export interface Judgement {
  readonly name: string;
  readonly unit: string;
  /** Medians of the first and of the last values. */
  readonly from: number;
  readonly to: number;
  readonly perHour: number;
  /** The standard error of the slope. */
  readonly error: number;
  readonly bound: string;
  readonly verdict: 'holds' | 'grows' | 'too much' | 'too few values';
}

const fewest = 5;

/** The value in the middle; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The points of each life after its warm-up: a program that starts again warms up again. */
export function afterWarmUp(points: readonly Point[], warmUpHours: number): readonly Point[] {
  const begins = new Map<number, number>();
  for (const { at, life = 0 } of points) begins.set(life, Math.min(at, begins.get(life) ?? at));
  return points.filter(({ at, life = 0 }) => at >= (begins.get(life) ?? 0) + warmUpHours);
}

/**
 * Judges a series after the warm-up. A slope is too great when it is so by more than twice its standard error, so noise
 * alone is no growth, and when it still is so in the second half, because one step up is none either. A level is too
 * great when the median of the last quarter is.
 */
export function judge({ name, unit, points, rule }: Series, warmUpHours: number): Judgement {
  const late = afterWarmUp(points, warmUpHours);
  const values = late.map(({ value }) => value);
  const { slope, error } = fitSlope(late);
  const figures = {
    name,
    unit,
    from: median(values.slice(0, fewest)),
    to: median(values.slice(-fewest)),
    perHour: slope,
    error,
  };
  if (rule.kind === 'level') {
    const most = `at most ${shown(rule.most)} ${unit}: ${rule.reason}`;
    const level = median(values.slice(-Math.max(1, Math.floor(values.length / 4))));
    if (Number.isNaN(level)) return { ...figures, bound: most, verdict: 'too few values' };
    return { ...figures, bound: most, verdict: level > rule.most ? 'too much' : 'holds' };
  }
  const bound = `at most ${shown(rule.maxPerHour)} an hour: ${rule.reason}`;
  if (late.length < fewest || Number.isNaN(error)) return { ...figures, bound, verdict: 'too few values' };
  const isGrowing = [late, late.slice(-Math.ceil(late.length / 2))].every((part) => {
    const fit = fitSlope(part);
    return fit.slope - 2 * fit.error > rule.maxPerHour;
  });
  return { ...figures, bound, verdict: isGrowing ? 'grows' : 'holds' };
}

function shown(value: number): string {
  return value >= 100 || value === 0 ? value.toFixed(0) : value.toPrecision(3);
}
