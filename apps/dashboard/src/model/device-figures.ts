/** A row of the statistics of a device: a Location in a span of time. */
interface StatisticsRow {
  readonly Timestamp: string;
  readonly Count: number;
  readonly Errors: number;
  readonly Inconclusive: number;
  readonly Loss: number | null;
  readonly P50: number | null;
  readonly P95: number | null;
}

/** The figures of a device over 24 hours, as a list shows them. */
export interface DeviceFigures {
  /** That of the slowest Location, milliseconds; null: no good check. */
  readonly p95: number | null;
  /** Lost packets of PING, failed checks of other Methods, percent; null: no check says something. */
  readonly loss: number | null;
  /** The median of each hour that has one, with the hour's position from the begin, 0 to 1. */
  readonly trend: readonly { readonly at: number; readonly ms: number }[];
}

const percent = 100;

function lossOf(rows: readonly StatisticsRow[]): number | null {
  const sum = (pick: (row: StatisticsRow) => number) => rows.reduce((total, row) => total + pick(row), 0);
  const withPackets = rows.filter(({ Loss, Count }) => Loss !== null && Count > 0);
  if (withPackets.length > 0) {
    const checks = withPackets.reduce((total, { Count }) => total + Count, 0);
    return withPackets.reduce((total, { Loss, Count }) => total + (Loss ?? 0) * Count, 0) / checks;
  }
  const meaningful = sum(({ Count, Inconclusive }) => Count - Inconclusive);
  return meaningful === 0 ? null : (sum(({ Errors }) => Errors) / meaningful) * percent;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return (low + high) / 2;
}

/** The figures from the statistics of the whole span and of its hours. */
export function figuresOf(
  whole: readonly StatisticsRow[],
  hours: readonly StatisticsRow[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): DeviceFigures {
  const slowest = whole.flatMap(({ P95 }) => (P95 === null ? [] : [P95]));
  const byHour = new Map<number, number[]>();
  for (const { Timestamp, P50 } of hours) {
    if (P50 === null) continue;
    const at = Date.parse(Timestamp);
    byHour.set(at, [...(byHour.get(at) ?? []), P50]);
  }
  const trend = [...byHour]
    .sort(([a], [b]) => a - b)
    .map(([at, values]) => ({
      at: Math.min(1, Math.max(0, (at - fromMs) / (toMs - fromMs))),
      ms: median(values),
    }));
  return { p95: slowest.length === 0 ? null : Math.max(...slowest), loss: lossOf(whole), trend };
}

const gapHours = 1.5;

/** The line of a trend as the path of an SVG, from 0 to the largest value. An hour without a check is a gap. */
export function trendPath(
  trend: DeviceFigures['trend'],
  { width, height }: { readonly width: number; readonly height: number },
): string {
  const most = Math.max(...trend.map(({ ms }) => ms));
  let before = Number.NEGATIVE_INFINITY;
  return trend
    .map(({ at, ms }) => {
      const isGap = (at - before) * 24 > gapHours;
      before = at;
      const y = most === 0 ? height : height - (ms / most) * height;
      const point = `${round(at * width)} ${round(y)}`;
      // A single hour is a short line.
      return isGap ? `M${point}h0.5` : `L${point}`;
    })
    .join('');
}

const round = (value: number) => Math.round(value * 10) / 10;
