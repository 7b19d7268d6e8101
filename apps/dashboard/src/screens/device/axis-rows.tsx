import { type AxisBucket, bucketAt, scaleTop, stepPath } from '../../model/axis-buckets.ts';
import { milliseconds } from '../../model/format.ts';
import { phases } from '../../model/phases.ts';
import { runsOf, type StatusInterval } from '../../model/timeline.ts';
import bar from '../../parts/bar.module.css';
import { checkTexts } from '../../texts/check-texts.ts';
import { deviceWords } from '../../texts/device-words.ts';
import css from './axis.module.css';
import type { AxisFrame, AxisRow, EdgeLabel } from './axis-frame.ts';
import { EdgeLabels } from './axis-labels.tsx';
import { axisTexts as say } from './axis-texts.ts';
import type { ReadAxis } from './read-axis.ts';

const stateHeights = { Up: 3, Down: 22, Maint: 11, Unknown: 11 } as const;
const stateHeight = 22;
const phasesHeight = 132;
const lossHeight = 26;

/** The status of each pixel; the worst one wins. */
export function stateRow(frame: AxisFrame, intervals: readonly StatusInterval[], at: number): AxisRow {
  const status = intervals.findLast(({ start, end }) => start <= at && at <= end)?.status;
  const reading = status === undefined ? '–' : deviceWords.states[status];
  const pixels = Math.round(frame.right - frame.left);
  return {
    name: say.state,
    height: stateHeight,
    reading,
    view: (top) => (
      <g>
        <rect
          class={bar['none']}
          x={frame.left}
          y={top + stateHeight - 1}
          width={frame.right - frame.left}
          height="1"
        />
        {runsOf(intervals, frame, pixels).map(({ x, width, status: drawn }) => (
          <rect
            key={x}
            class={bar[drawn]}
            x={frame.left + x}
            y={top + stateHeight - stateHeights[drawn]}
            width={width}
            height={stateHeights[drawn]}
          />
        ))}
        <EdgeLabels
          frame={frame}
          bottom={top + stateHeight}
          labels={[{ key: 'state', words: say.state, value: reading, y: top + 11 }]}
        />
      </g>
    ),
  };
}

/** The Location of the row of phases, and the lines that are compared with it. */
export interface PhasesShown {
  readonly location: string | undefined;
  /** Other Locations that are compared. */
  readonly others: readonly string[];
  /** Medians of the same Location a week before, at the times of this week. */
  readonly lastWeek: readonly AxisBucket[];
}

const maxOthers = 5;
const lineClasses = ['line1', 'line2', 'line3', 'line4', 'line5'] as const;

/** The stack of phases of a Location with its 95th percentile. */
export function phasesRow(
  frame: AxisFrame,
  data: ReadAxis | undefined,
  { location, others, lastWeek }: PhasesShown,
  at: number | undefined,
): AxisRow {
  const own = data?.locations.get(location ?? '') ?? [];
  const compared = others
    .slice(0, maxOthers)
    .map((name) => ({ name, buckets: data?.locations.get(name) ?? [] }));
  const peaks = own.flatMap(({ p95, median }) => p95 ?? median ?? []).sort((a, b) => a - b);
  const others95 = compared.flatMap(({ buckets }) => buckets.flatMap(({ median }) => median ?? []));
  const highest = peaks[Math.ceil(peaks.length * 0.95) - 1] ?? 0;
  const scale = scaleTop(Math.max(highest, ...others95, ...lastWeek.map(({ median }) => median ?? 0)));
  // Without a cursor, the newest bucket that has data is read.
  const bucket = at === undefined ? own.findLast(({ median }) => median !== null) : bucketAt(own, at);
  const medianAt = (buckets: readonly AxisBucket[]) =>
    (at === undefined ? buckets.findLast(({ median }) => median !== null) : bucketAt(buckets, at))?.median;
  const y = (top: number, ms: number) => top + phasesHeight - (Math.min(ms, scale) / scale) * phasesHeight;
  const isUsed = phases.map((_, index) => own.some(({ phases: parts }) => (parts?.[index] ?? 0) > 0));
  const labelsAt = (top: number) => {
    const labels: EdgeLabel[] = [];
    let sum = 0;
    phases.forEach(([name], index) => {
      const part = bucket?.phases?.[index] ?? 0;
      if (isUsed[index] === true)
        labels.push({
          key: name,
          words: checkTexts.phaseNames[name],
          value: bucket?.phases == null ? '–' : milliseconds(part === 0 ? null : part),
          y: y(top, sum + part / 2),
          symbol: { shape: 'area', className: css[name] },
        });
      sum += part;
    });
    labels.reverse();
    const total = bucket?.median ?? null;
    labels.unshift({
      key: 'median',
      words: say.median,
      value: milliseconds(total),
      y: y(top, total ?? 0) - 8,
      symbol: { shape: 'line', className: css['top'] },
    });
    if (own.some(({ p95 }) => p95 !== null))
      labels.unshift({
        key: 'p95',
        words: say.p95,
        value: milliseconds(bucket?.p95),
        y: y(top, bucket?.p95 ?? 0) - 10,
        symbol: { shape: 'line', className: css['p95'] },
      });
    compared.forEach(({ name, buckets }, index) => {
      const median = medianAt(buckets);
      labels.push({
        key: `at ${name}`,
        words: name.length > 13 ? `${name.slice(0, 12)}…` : name,
        value: milliseconds(median),
        y: y(top, median ?? 0),
        symbol: { shape: 'line', className: css[lineClasses[index] ?? 'line1'] },
      });
    });
    if (lastWeek.length > 0) {
      const median = medianAt(lastWeek);
      labels.push({
        key: 'last week',
        words: say.lastWeekShort,
        value: milliseconds(median),
        y: y(top, median ?? 0),
        symbol: { shape: 'line', className: css['ghost'] },
      });
    }
    return labels;
  };
  const line = (
    top: number,
    buckets: readonly AxisBucket[],
    levelOf: (bucket: AxisBucket) => number | null,
  ) =>
    stepPath(buckets, frame.x, (index) => {
      const found = buckets[index];
      const value = found === undefined ? null : levelOf(found);
      return value === null ? null : y(top, value);
    });
  return {
    name: say.phases,
    hint: location === undefined ? '' : say.from(location),
    height: phasesHeight,
    reading: milliseconds(bucket?.median),
    view: (top) => (
      <g>
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <path
              class={share === 0 ? css['base'] : css['grid']}
              d={`M${frame.left} ${Math.round(y(top, share * scale)) + 0.5}H${frame.right}`}
            />
            <text x={frame.left - 6} y={y(top, share * scale) + 4} text-anchor="end">
              {share === 0 ? '0' : milliseconds(share * scale)}
            </text>
          </g>
        ))}
        {own.map((each) => (
          <PhaseBars key={each.from} bucket={each} frame={frame} y={(ms) => y(top, ms)} />
        ))}
        <path class={css['top']} d={line(top, own, ({ median }) => median)} />
        <path class={css['p95']} d={line(top, own, ({ p95 }) => p95)} />
        {compared.map(({ name, buckets }, index) => (
          <path
            key={name}
            class={css[lineClasses[index] ?? 'line1']}
            d={line(top, buckets, ({ median }) => median)}
          />
        ))}
        <path class={css['ghost']} d={line(top, lastWeek, ({ median }) => median)} />
        {data !== undefined && own.every(({ median }) => median === null) && (
          <text x={(frame.left + frame.right) / 2} y={top + phasesHeight / 2} text-anchor="middle">
            {say.noPhases}
          </text>
        )}
        <EdgeLabels frame={frame} bottom={top + phasesHeight + 2} labels={labelsAt(top)} />
      </g>
    ),
  };
}

/** The phases of a bucket, one above the other. */
function PhaseBars({
  bucket,
  frame,
  y,
}: {
  readonly bucket: AxisBucket;
  readonly frame: AxisFrame;
  readonly y: (ms: number) => number;
}) {
  let sum = 0;
  const left = frame.x(bucket.from);
  const width = Math.max(0.5, frame.x(bucket.to) - left + 0.3);
  return (
    <>
      {phases.map(([name], at) => {
        const part = bucket.phases?.[at] ?? 0;
        const bottom = y(sum);
        sum += part;
        const top = y(sum);
        return (
          part > 0 &&
          bottom > top && (
            <rect
              key={name}
              class={css[name]}
              x={left}
              width={width}
              y={top}
              height={Math.max(0.5, bottom - top)}
            />
          )
        );
      })}
    </>
  );
}

/** The percentage of failed checks of all Locations. */
export function lossRow(frame: AxisFrame, data: ReadAxis | undefined, at: number): AxisRow {
  const loss = data?.loss ?? [];
  const percent = bucketAt(loss, at)?.percent ?? null;
  const reading =
    percent === null ? '–' : `${percent > 0 && percent < 1 ? '<1' : Math.round(percent)}\u00a0%`;
  return {
    name: say.loss,
    height: lossHeight,
    reading,
    view: (top) => (
      <g>
        <path class={css['base']} d={`M${frame.left} ${top + lossHeight + 0.5}H${frame.right}`} />
        {!frame.isNarrow && (
          <text x={frame.left - 6} y={top + 8} text-anchor="end">
            100&nbsp;%
          </text>
        )}
        {loss.map(({ from, to, percent: share }) => {
          if (share === null || share === 0) return null;
          const height = Math.max(2, (share / 100) * lossHeight);
          const left = frame.x(from);
          return (
            <rect
              key={from}
              class={bar['Down']}
              x={left}
              y={top + lossHeight - height}
              width={Math.max(1, frame.x(to) - left + 0.3)}
              height={height}
            />
          );
        })}
        <EdgeLabels
          frame={frame}
          bottom={top + lossHeight}
          labels={[{ key: 'loss', words: say.lossAll, value: reading, y: top + lossHeight / 2 }]}
        />
      </g>
    ),
  };
}
