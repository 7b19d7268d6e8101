/** A device's status over a time. */
export type Status = 'Up' | 'Down' | 'Maint' | 'Unknown';

/**
 * A time in one status; milliseconds since 1970. Paused time and time before the device existed belong to no interval.
 */
export interface Interval {
  readonly start: number;
  readonly end: number;
  readonly status: Status;
}

/** A change of status, as an event tells it. */
export interface Change {
  readonly at: number;
  readonly status: Status;
}

const worstFirst: readonly Status[] = ['Down', 'Unknown', 'Maint', 'Up'];
const rank = (status: Status) => worstFirst.indexOf(status);

/**
 * The intervals from `from` to `to`. `changes` may come in any order, of one moment the last counts; those before
 * `from` say how it began.
 */
export function intervalsOf(changes: readonly Change[], from: number, to: number): readonly Interval[] {
  const ordered = changes.filter(({ at }) => at < to).sort((a, b) => a.at - b.at);
  const intervals: Interval[] = [];
  for (const [index, { at, status }] of ordered.entries()) {
    const start = Math.max(from, at);
    const end = Math.min(to, ordered[index + 1]?.at ?? to);
    if (end <= start) continue;
    const last = intervals.at(-1);
    if (last?.status === status && last.end === start) intervals[intervals.length - 1] = { ...last, end };
    else intervals.push({ start, end, status });
  }
  return intervals;
}

/** A run of pixels in one status. */
export interface Run {
  readonly x: number;
  readonly width: number;
  readonly status: Status;
}

/**
 * The intervals on `width` pixels: the worst status wins a pixel, Down has two at least, and what is open now three, to
 * the right edge.
 */
export function runsOf(
  intervals: readonly Interval[],
  span: { from: number; to: number },
  width: number,
): readonly Run[] {
  const pixels = Array.from({ length: width }, (): Status | undefined => undefined);
  const scale = width / (span.to - span.from);
  const paint = (first: number, last: number, status: Status) => {
    for (let x = Math.max(0, first); x <= Math.min(width - 1, last); x += 1) {
      const there = pixels[x];
      if (there === undefined || rank(status) < rank(there)) pixels[x] = status;
    }
  };
  for (const { start, end, status } of intervals) {
    const first = Math.floor((start - span.from) * scale);
    const last = Math.max(first, Math.ceil((end - span.from) * scale) - 1);
    const isOpen = end >= span.to;
    const least = isOpen ? 3 : status === 'Down' ? 2 : 1;
    const missing = Math.max(0, least - (last - first + 1));
    paint(isOpen ? first - missing : first, isOpen ? last : last + missing, status);
  }
  const runs: Run[] = [];
  for (const [x, status] of pixels.entries()) {
    if (status === undefined) continue;
    const last = runs.at(-1);
    if (last?.status === status && last.x + last.width === x)
      runs[runs.length - 1] = { ...last, width: last.width + 1 };
    else runs.push({ x, width: 1, status });
  }
  return runs;
}

/** Seconds of each status, and how often each began. */
export function sumsOf(
  intervals: readonly Interval[],
): Readonly<Record<Status, { seconds: number; times: number }>> {
  const sums = {
    Up: { seconds: 0, times: 0 },
    Down: { seconds: 0, times: 0 },
    Maint: { seconds: 0, times: 0 },
    Unknown: { seconds: 0, times: 0 },
  };
  for (const { start, end, status } of intervals) {
    sums[status].seconds += (end - start) / 1_000;
    sums[status].times += 1;
  }
  return sums;
}
