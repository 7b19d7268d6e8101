import {
  dateAfter,
  type Moments,
  momentsOf,
  neighbour,
  type ReportSpan,
  spanAround,
  spanOfDays,
} from '@vantage/domain/report';
import type { StatusInterval } from './timeline.ts';

/** A day or a month of a report. Seconds are those of all devices together. */
export interface ReportPart {
  readonly span: ReportSpan;
  readonly up: number;
  readonly down: number;
  readonly maintenance: number;
  /** Down, but excluded by a person. */
  readonly excluded: number;
  /** Not observed: also before a device existed, and while it was paused. */
  readonly unknown: number;
}

/** An outage that does not count, milliseconds since 1970. */
export interface ExcludedTime {
  readonly device: string;
  readonly from: number;
  readonly to: number;
}

/** A longer span is shown by month. */
const maxDays = 100;

/** The days of a span; of a long one its months, cut to the span. */
export function partsOfSpan(span: ReportSpan): readonly ReportSpan[] {
  const parts: ReportSpan[] = [];
  for (let date = span.first; date <= span.last; date = dateAfter(date)) {
    if (parts.length === maxDays) return monthsOfSpan(span);
    parts.push({ kind: 'days', first: date, last: date });
  }
  return parts;
}

function monthsOfSpan({ first, last }: ReportSpan): readonly ReportSpan[] {
  const parts: ReportSpan[] = [];
  for (let month = spanAround('month', first); month.first <= last; month = neighbour(month, 1)) {
    const [from, to] = [month.first < first ? first : month.first, month.last > last ? last : month.last];
    parts.push(from === month.first && to === month.last ? month : (spanOfDays(from, to) ?? month));
  }
  return parts;
}

type Lengths = Record<'Up' | 'Down' | 'Maint' | 'Unknown' | 'Excluded', number>;

/** Divides an interval where the excluded outages of its device begin and end. */
function withExcluded(
  { start, end, status }: StatusInterval,
  excluded: readonly ExcludedTime[],
): readonly { readonly start: number; readonly end: number; readonly status: keyof Lengths }[] {
  if (status !== 'Down') return [{ start, end, status }];
  const cuts = excluded.flatMap(({ from, to }) => [from, to]).filter((ms) => ms > start && ms < end);
  const edges = [start, ...new Set(cuts.sort((a, b) => a - b)), end];
  return edges.slice(1).map((to, at) => {
    const from = edges[at] ?? start;
    const isExcluded = excluded.some((outage) => outage.from <= from && outage.to >= to);
    return { start: from, end: to, status: isExcluded ? 'Excluded' : 'Down' };
  });
}

/**
 * The figures of each day or month, in the order of time. `until` is the end of what was read, milliseconds since 1970;
 * later parts have no time at all.
 */
export function reportParts(facts: {
  readonly span: ReportSpan;
  readonly zone: string;
  readonly until: number;
  readonly intervals: ReadonlyMap<string, readonly StatusInterval[]>;
  readonly excluded: readonly ExcludedTime[];
}): readonly ReportPart[] {
  const { span, zone, until, intervals, excluded } = facts;
  const parts = partsOfSpan(span).map((part) => ({
    part,
    moments: cut(momentsOf(part, zone), until),
    lengths: { Up: 0, Down: 0, Maint: 0, Unknown: 0, Excluded: 0 } satisfies Lengths,
  }));
  for (const [device, own] of intervals) {
    const outages = excluded.filter((outage) => outage.device === device);
    for (const interval of own.flatMap((each) => withExcluded(each, outages)))
      for (const { moments, lengths } of parts) {
        if (moments.from >= interval.end) break;
        const length = Math.min(moments.to, interval.end) - Math.max(moments.from, interval.start);
        if (length > 0) lengths[interval.status] += length;
      }
  }
  return parts.map(({ part, moments, lengths }) => {
    const { Up, Down, Maint, Excluded } = lengths;
    const total = (moments.to - moments.from) * intervals.size;
    return {
      span: part,
      up: Up / 1_000,
      down: Down / 1_000,
      maintenance: Maint / 1_000,
      excluded: Excluded / 1_000,
      unknown: Math.max(0, total - Up - Down - Maint - Excluded) / 1_000,
    };
  });
}

const cut = ({ from, to }: Moments, until: number): Moments => ({
  from: Math.min(from, until),
  to: Math.min(to, until),
});
