import {
  type BaseStatus,
  type DeviceStatus,
  intersectSpans,
  joinSpans,
  type Span,
  secondUs,
} from '@vantage/domain';
import type { BaseInterval } from './fold.ts';

/** A stretch of one shown status. */
export interface ShownSpan extends Span {
  readonly status: DeviceStatus;
}

/** The facts behind an uptime. Lists need no order and may overlap. */
export interface UptimeFacts {
  readonly createdUs: number;
  readonly intervals: readonly BaseInterval[];
  /**
   * The spans in which an agent ran everything that was due for this device: coverage within assignment spans, of all
   * agents.
   */
  readonly coverage: readonly Span[];
  readonly maintenance: readonly Span[];
  /** Outages that people left out of reports, each from its first error to the next Up; absent: none. */
  readonly excluded?: readonly Span[] | undefined;
}

/** The API's Uptime object: whole seconds; the five add up to the period. */
export interface Uptime {
  readonly UpSeconds: number;
  readonly DownSeconds: number;
  readonly MaintenanceSeconds: number;
  readonly UnknownSeconds: number;
  /** Down in an outage that people left out. */
  readonly ExcludedSeconds: number;
  readonly Outages: number;
  readonly ExcludedOutages: number;
}

/**
 * The shown status over a period, adjacent equal stretches joined. Before creation it is Unknown; maintenance goes
 * before all else. Without coverage it is Unknown, whatever the results before and after say.
 */
export function timeline(facts: UptimeFacts, period: Span): ShownSpan[] {
  const maintenance = joinSpans(facts.maintenance);
  const coverage = joinSpans(facts.coverage);
  const intervals = [...facts.intervals].sort((a, b) => a.fromUs - b.fromUs);
  const edges = [period.fromUs, period.toUs, facts.createdUs, ...intervals.map((i) => i.fromUs)];
  for (const span of [...maintenance, ...coverage]) edges.push(span.fromUs, span.toUs);
  // Sorted as plain numbers: a year has thousands of edges.
  const inside = Float64Array.from(edges.filter((us) => us >= period.fromUs && us <= period.toUs)).sort();
  const isMaint = walker(maintenance);
  const isCovered = walker(coverage);
  const baseAt = baseWalker(intervals);
  const spans: ShownSpan[] = [];
  for (let i = 0; i + 1 < inside.length; i += 1) {
    const fromUs = inside[i] ?? 0;
    const toUs = inside[i + 1] ?? 0;
    if (toUs === fromUs) continue;
    const status = shown(fromUs);
    const last = spans.at(-1);
    if (last?.status === status) spans[spans.length - 1] = { fromUs: last.fromUs, toUs, status };
    else spans.push({ fromUs, toUs, status });
  }
  return spans;

  /** Asked with rising times only. */
  function shown(us: number): DeviceStatus {
    const base = baseAt(us);
    const coveredNow = isCovered(us);
    const maintNow = isMaint(us);
    if (us < facts.createdUs) return 'Unknown';
    if (maintNow) return 'Maint';
    return coveredNow ? base : 'Unknown';
  }
}

/**
 * Seconds of each status in a period and the outages that show in it. Boundaries are cut to whole seconds, so the five
 * parts equal floor(to) - floor(from) exactly. An outage that an Unknown interrupts is one outage.
 */
export function uptime(facts: UptimeFacts, period: Span): Uptime {
  const seconds: Record<DeviceStatus, number> = { Up: 0, Down: 0, Maint: 0, Unknown: 0 };
  const spans = timeline(facts, period);
  for (const span of spans) seconds[span.status] += wholeSeconds(span.toUs) - wholeSeconds(span.fromUs);
  const down = spans.filter((span) => span.status === 'Down');
  const excluded = joinSpans(facts.excluded ?? []);
  const left = intersectSpans(down, excluded);
  const leftSeconds = left.reduce(
    (sum, { fromUs, toUs }) => sum + wholeSeconds(toUs) - wholeSeconds(fromUs),
    0,
  );
  const all = countTouched(outages(facts.intervals), down);
  const without = countTouched(excluded, left);
  return {
    UpSeconds: seconds.Up,
    DownSeconds: seconds.Down - leftSeconds,
    MaintenanceSeconds: seconds.Maint,
    UnknownSeconds: seconds.Unknown,
    ExcludedSeconds: leftSeconds,
    Outages: all - without,
    ExcludedOutages: without,
  };
}

/** Outages by results: each lasts from the first Down to the next Up, and includes an Unknown in between. */
export function outages(intervals: readonly BaseInterval[]): Span[] {
  const found: Span[] = [];
  let openUs: number | undefined;
  for (const interval of [...intervals].sort((a, b) => a.fromUs - b.fromUs)) {
    if (interval.status === 'Down') openUs ??= interval.fromUs;
    if (interval.status === 'Up' && openUs !== undefined) {
      found.push({ fromUs: openUs, toUs: interval.fromUs });
      openUs = undefined;
    }
  }
  if (openUs !== undefined) found.push({ fromUs: openUs, toUs: Number.POSITIVE_INFINITY });
  return found;
}

/** How many of the first list's spans share time with the second's; both sorted, neither overlapping itself. */
function countTouched(spans: readonly Span[], others: readonly Span[]): number {
  let count = 0;
  let i = 0;
  for (const span of spans) {
    while ((others[i]?.toUs ?? Number.POSITIVE_INFINITY) <= span.fromUs) i += 1;
    if ((others[i]?.fromUs ?? Number.POSITIVE_INFINITY) < span.toUs) count += 1;
  }
  return count;
}

function wholeSeconds(us: number): number {
  return Math.floor(us / secondUs);
}

/** A function that finds whether a moment lies in one of the joined spans; it is called with rising moments. */
function walker(spans: readonly Span[]): (us: number) => boolean {
  let i = 0;
  return (us) => {
    let span = spans[i];
    while (span !== undefined && span.toUs <= us) {
      i += 1;
      span = spans[i];
    }
    return span !== undefined && span.fromUs <= us;
  };
}

/**
 * A function that finds the status by results at a moment, Unknown before the first interval; it is called with rising
 * moments.
 */
function baseWalker(intervals: readonly BaseInterval[]): (us: number) => BaseStatus {
  let i = -1;
  return (us) => {
    while ((intervals[i + 1]?.fromUs ?? Number.POSITIVE_INFINITY) <= us) i += 1;
    return intervals[i]?.status ?? 'Unknown';
  };
}
