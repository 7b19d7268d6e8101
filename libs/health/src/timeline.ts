import { type BaseStatus, type DeviceStatus, joinSpans, type Span } from '@vantage/domain';
import type { BaseInterval } from './fold.ts';

/** A span with one shown status. */
export interface ShownSpan extends Span {
  readonly status: DeviceStatus;
}

/** The facts behind an uptime. Lists need no order and may overlap. */
export interface UptimeFacts {
  readonly createdUs: number;
  readonly intervals: readonly BaseInterval[];
  /** The coverage of all agents within the spans of their assignment to this device. */
  readonly coverage: readonly Span[];
  readonly maintenance: readonly Span[];
  /** Outages that people excluded from reports, from the first error to the next Up. */
  readonly excluded?: readonly Span[] | undefined;
}

/**
 * The shown status over a period; equal neighbours are joined. Before the device was created it is Unknown. Maintenance
 * overrides everything else. Without coverage it is Unknown, whatever the results before and after are.
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

  /** Times must rise from call to call. */
  function shown(us: number): DeviceStatus {
    const base = baseAt(us);
    const coveredNow = isCovered(us);
    const maintNow = isMaint(us);
    if (us < facts.createdUs) return 'Unknown';
    if (maintNow) return 'Maint';
    return coveredNow ? base : 'Unknown';
  }
}

/** The outages by results alone, from the first Down to the next Up; an Unknown in between belongs to the outage. */
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

/**
 * Returns a function that tells whether a moment is in one of the joined spans. Moments must rise from call to call.
 */
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

/** Returns a function that tells the status by results at a moment. Moments must rise from call to call. */
function baseWalker(intervals: readonly BaseInterval[]): (us: number) => BaseStatus {
  let i = -1;
  return (us) => {
    while ((intervals[i + 1]?.fromUs ?? Number.POSITIVE_INFINITY) <= us) i += 1;
    return intervals[i]?.status ?? 'Unknown';
  };
}
