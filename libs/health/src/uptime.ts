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

/** A part of a device's period, for the part that follows it. */
export interface UptimePart {
  /** The begin of the outage that is open at its end. */
  readonly openUs: number | undefined;
  /** The begins of the outage and of the excluded one that were counted last. */
  readonly countedUs: number | undefined;
  readonly excludedUs: number | undefined;
}

/**
 * Seconds of each status in a period and the outages that show in it. Boundaries are cut to whole seconds, so the five
 * parts equal floor(to) - floor(from) exactly. An outage that an Unknown interrupts is one outage.
 */
export function uptime(facts: UptimeFacts, period: Span): Uptime {
  return uptimeOfPart(facts, period, undefined).uptime;
}

/**
 * The uptime of a part of a longer period, whose `facts` need no more than what touches the part. `before` is the part
 * that ends where this one begins, undefined for the first one. With cuts at whole seconds, the parts add up
 * (`addUptimes`) to the uptime of the whole.
 */
export function uptimeOfPart(
  facts: UptimeFacts,
  period: Span,
  before: UptimePart | undefined,
): { readonly uptime: Uptime; readonly part: UptimePart } {
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
  const found = outages(withOpen(facts.intervals, before?.openUs));
  const all = touched(found, down);
  const without = touched(excluded, left);
  const [last, lastWithout] = [all.at(-1)?.fromUs, without.at(-1)?.fromUs];
  const ExcludedOutages = without.length - countOf(without, before?.excludedUs);
  const open = found.at(-1);
  return {
    uptime: {
      UpSeconds: seconds.Up,
      DownSeconds: seconds.Down - leftSeconds,
      MaintenanceSeconds: seconds.Maint,
      UnknownSeconds: seconds.Unknown,
      ExcludedSeconds: leftSeconds,
      Outages: all.length - countOf(all, before?.countedUs) - ExcludedOutages,
      ExcludedOutages,
    },
    part: {
      openUs: open?.toUs === Number.POSITIVE_INFINITY ? open.fromUs : undefined,
      countedUs: last ?? before?.countedUs,
      excludedUs: lastWithout ?? before?.excludedUs,
    },
  };
}

/** The sum of the uptimes of parts. */
export function addUptimes(one: Uptime, other: Uptime): Uptime {
  return {
    UpSeconds: one.UpSeconds + other.UpSeconds,
    DownSeconds: one.DownSeconds + other.DownSeconds,
    MaintenanceSeconds: one.MaintenanceSeconds + other.MaintenanceSeconds,
    UnknownSeconds: one.UnknownSeconds + other.UnknownSeconds,
    ExcludedSeconds: one.ExcludedSeconds + other.ExcludedSeconds,
    Outages: one.Outages + other.Outages,
    ExcludedOutages: one.ExcludedOutages + other.ExcludedOutages,
  };
}

/** The intervals, with the outage that was open before them. */
function withOpen(intervals: readonly BaseInterval[], openUs: number | undefined): readonly BaseInterval[] {
  if (openUs === undefined) return intervals;
  return [{ fromUs: openUs, status: 'Down' }, ...intervals.filter(({ fromUs }) => fromUs > openUs)];
}

/** 1 where one of the spans begins there. */
function countOf(spans: readonly Span[], fromUs: number | undefined): number {
  return spans.some((span) => span.fromUs === fromUs) ? 1 : 0;
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

/** The spans of the first list that share time with the second's; both sorted, neither overlapping itself. */
function touched(spans: readonly Span[], others: readonly Span[]): readonly Span[] {
  let i = 0;
  return spans.filter((span) => {
    while ((others[i]?.toUs ?? Number.POSITIVE_INFINITY) <= span.fromUs) i += 1;
    return (others[i]?.fromUs ?? Number.POSITIVE_INFINITY) < span.toUs;
  });
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
