import { type DeviceStatus, intersectSpans, joinSpans, type Span, secondUs } from '@vantage/domain';
import type { BaseInterval } from './fold.ts';
import { outages, timeline, type UptimeFacts } from './timeline.ts';

/** The API's Uptime object in whole seconds. The five `…Seconds` add up to the period. */
export interface Uptime {
  readonly UpSeconds: number;
  readonly DownSeconds: number;
  readonly MaintenanceSeconds: number;
  readonly UnknownSeconds: number;
  /** Down in an outage that people excluded. */
  readonly ExcludedSeconds: number;
  readonly Outages: number;
  readonly ExcludedOutages: number;
}

/** The end of a part of the period, from which the next part continues. */
export interface UptimePart {
  /** The start of the outage that is open. */
  readonly openUs: number | undefined;
  /** The start of the last outage, and of the last excluded one, that was counted. */
  readonly countedUs: number | undefined;
  readonly excludedUs: number | undefined;
}

/**
 * The seconds of each status in a period, and its visible outages. Boundaries are truncated to whole seconds, so the
 * sum is exactly floor(to) - floor(from). An outage that an Unknown interrupts is one outage.
 */
export function uptime(facts: UptimeFacts, period: Span): Uptime {
  return uptimeOfPart(facts, period, undefined).uptime;
}

/**
 * The uptime of a part of a longer period; `facts` need only those that overlap the part. `before` is the previous
 * part, undefined for the first one. If the boundaries are whole seconds, the parts add up (`addUptimes`) to the uptime
 * of the period.
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
  const excludedDown = intersectSpans(down, excluded);
  const excludedSeconds = excludedDown.reduce(
    (sum, { fromUs, toUs }) => sum + wholeSeconds(toUs) - wholeSeconds(fromUs),
    0,
  );
  const found = outages(withOpen(facts.intervals, before?.openUs));
  const visible = touched(found, down);
  const visibleExcluded = touched(excluded, excludedDown);
  const ExcludedOutages = visibleExcluded.length - countOf(visibleExcluded, before?.excludedUs);
  const open = found.at(-1);
  return {
    uptime: {
      UpSeconds: seconds.Up,
      DownSeconds: seconds.Down - excludedSeconds,
      MaintenanceSeconds: seconds.Maint,
      UnknownSeconds: seconds.Unknown,
      ExcludedSeconds: excludedSeconds,
      Outages: visible.length - countOf(visible, before?.countedUs) - ExcludedOutages,
      ExcludedOutages,
    },
    part: {
      openUs: open?.toUs === Number.POSITIVE_INFINITY ? open.fromUs : undefined,
      countedUs: visible.at(-1)?.fromUs ?? before?.countedUs,
      excludedUs: visibleExcluded.at(-1)?.fromUs ?? before?.excludedUs,
    },
  };
}

export function addUptimes(a: Uptime, b: Uptime): Uptime {
  return {
    UpSeconds: a.UpSeconds + b.UpSeconds,
    DownSeconds: a.DownSeconds + b.DownSeconds,
    MaintenanceSeconds: a.MaintenanceSeconds + b.MaintenanceSeconds,
    UnknownSeconds: a.UnknownSeconds + b.UnknownSeconds,
    ExcludedSeconds: a.ExcludedSeconds + b.ExcludedSeconds,
    Outages: a.Outages + b.Outages,
    ExcludedOutages: a.ExcludedOutages + b.ExcludedOutages,
  };
}

/** The intervals, with the outage that was open before them. */
function withOpen(intervals: readonly BaseInterval[], openUs: number | undefined): readonly BaseInterval[] {
  if (openUs === undefined) return intervals;
  return [{ fromUs: openUs, status: 'Down' }, ...intervals.filter(({ fromUs }) => fromUs > openUs)];
}

/** 1 if one of the spans begins at `fromUs`, else 0. */
function countOf(spans: readonly Span[], fromUs: number | undefined): number {
  return spans.some((span) => span.fromUs === fromUs) ? 1 : 0;
}

/** The spans that overlap one of `others`. Both lists are sorted and free of overlaps. */
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
