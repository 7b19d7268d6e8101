import { dayUs, hourUs } from '@vantage/domain';

/** The tables from which the figures of a span are read. */
type Source = 'raw' | 'hourly' | 'daily';

/** A stretch of time with its source; microseconds since 1970. */
export interface OutageSegment {
  readonly source: Source;
  readonly fromUs: number;
  readonly toUs: number;
}

/**
 * Cuts a period into stretches that roll-ups cover and those that only raw checks do: hours cut by the period's ends,
 * hours not rolled up yet (from `rolledToUs` on) and `dirty` ones. Whole UTC days come from the daily roll-up when
 * `days` is set. Pure.
 */
export function segmentsOf(
  period: { readonly fromUs: number; readonly toUs: number },
  rolled: { readonly rolledToUs: number; readonly dirty: ReadonlySet<number>; readonly days: boolean },
): readonly OutageSegment[] {
  const segments: OutageSegment[] = [];
  const add = (source: Source, fromUs: number, toUs: number): void => {
    const last = segments.at(-1);
    if (last?.source === source && last.toUs === fromUs)
      segments[segments.length - 1] = { source, fromUs: last.fromUs, toUs };
    else segments.push({ source, fromUs, toUs });
  };
  const isRolled = (hour: number) => hour + hourUs <= rolled.rolledToUs && !rolled.dirty.has(hour);
  let at = period.fromUs;
  while (at < period.toUs) {
    const hour = at - (at % hourUs);
    const day = at + dayUs;
    const end = Math.min(hour + hourUs, period.toUs);
    if (rolled.days && at % dayUs === 0 && day <= period.toUs && hoursOf(at).every(isRolled)) {
      add('daily', at, day);
      at = day;
    } else {
      add(at === hour && end === hour + hourUs && isRolled(hour) ? 'hourly' : 'raw', at, end);
      at = end;
    }
  }
  return segments;
}

function hoursOf(day: number): readonly number[] {
  return Array.from({ length: 24 }, (_, i) => day + i * hourUs);
}
