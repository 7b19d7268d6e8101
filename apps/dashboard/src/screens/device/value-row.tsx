import type { Schemas } from '@vantage/client';
import { amount } from '../../model/amount.ts';
import { bucketAt, stepPath } from '../../model/axis-buckets.ts';
import { briefly } from '../../model/format.ts';
import { type ValueStep, valueScale } from '../../model/value-charts.ts';
import { secondsSince } from '../../store/clock.ts';
import css from './axis.module.css';
import type { AxisFrame, AxisRow, EdgeLabel } from './axis-frame.ts';
import { EdgeLabels } from './axis-labels.tsx';
import own from './values.module.css';
import { valuesTexts as say } from './values-texts.ts';

/** The height of a chart, pixels. */
export const rowHeight = 72;
/** The width of a character, at most. */
const characterPx = 8;

/** The last value with its age; `–` where there is none. */
export function lastWords({ Last, Unit }: Pick<Schemas['DeviceValues'], 'Last' | 'Unit'>): string {
  if (Last === null) return amount(null, Unit);
  return `${amount(Last.Value, Unit)}, ${say.ago(briefly(secondsSince(Date.parse(Last.Timestamp))))}`;
}

/** A label's chart: the mean in steps over the band from min to max, and the 95th percentile. */
export function valueRow(
  frame: AxisFrame,
  row: Schemas['DeviceValues'],
  steps: readonly ValueStep[],
  at: number | undefined,
): AxisRow {
  const { Label: label, Unit: unit } = row;
  const { bottom, top: scaleTop } = valueScale(steps);
  const step = at === undefined ? undefined : bucketAt(steps, at);
  const y = (top: number, value: number) =>
    top + rowHeight - ((value - bottom) / (scaleTop - bottom)) * rowHeight;
  const line = (top: number, level: (one: ValueStep) => number) =>
    stepPath(steps, frame.x, (index) => {
      const one = steps[index];
      return one === undefined ? null : y(top, level(one));
    });
  const hasBand = steps.some(({ min, max }) => min < max);
  const labelsAt = (top: number): EdgeLabel[] => {
    const mean: EdgeLabel = {
      key: 'mean',
      words: at === undefined ? say.last : say.mean,
      value: at === undefined ? lastWords(row) : amount(step?.mean, unit),
      y: y(top, step?.mean ?? steps.at(-1)?.mean ?? bottom),
      symbol: { shape: 'line', className: css['top'] },
    };
    if (!hasBand || step === undefined) return [mean];
    const p95: EdgeLabel = {
      key: 'p95',
      words: say.p95,
      value: amount(step.p95, unit),
      y: y(top, step.p95) - 10,
      symbol: { shape: 'line', className: css['p95'] },
    };
    const most: EdgeLabel = {
      key: 'max',
      words: 'max',
      value: amount(step.max, unit),
      y: y(top, step.max) - 20,
    };
    const least: EdgeLabel = {
      key: 'min',
      words: 'min',
      value: amount(step.min, unit),
      y: y(top, step.min) + 10,
    };
    return [most, p95, mean, least];
  };
  const room = Math.floor((frame.width - (frame.isNarrow ? 190 : 0)) / characterPx);
  return {
    name: label.length > room ? `${label.slice(0, room - 1)}…` : label,
    height: rowHeight,
    reading: at === undefined ? lastWords(row) : amount(step?.mean, unit),
    view: (top) => (
      <g>
        {[bottom, (bottom + scaleTop) / 2, scaleTop].map((value, index) => (
          <g key={value}>
            <path
              class={index === 0 ? css['base'] : css['grid']}
              d={`M${frame.left} ${Math.round(y(top, value)) + 0.5}H${frame.right}`}
            />
            {(index !== 1 || !frame.isNarrow) && (
              <text x={frame.left - 6} y={y(top, value) + 4} text-anchor="end">
                {amount(value, unit)}
              </text>
            )}
          </g>
        ))}
        {steps.map(({ from, to, min, max }) => {
          const left = frame.x(from);
          return (
            max > min && (
              <rect
                key={from}
                class={own['band']}
                x={left}
                width={Math.max(0.5, frame.x(to) - left + 0.3)}
                y={y(top, max)}
                height={Math.max(1, y(top, min) - y(top, max))}
              />
            )
          );
        })}
        {hasBand && <path class={css['p95']} d={line(top, ({ p95 }) => p95)} />}
        <path class={css['top']} d={line(top, ({ mean }) => mean)} />
        {steps.length === 0 && (
          <text x={(frame.left + frame.right) / 2} y={top + rowHeight / 2} text-anchor="middle">
            {say.none}
          </text>
        )}
        <EdgeLabels frame={frame} bottom={top + rowHeight + 2} labels={labelsAt(top)} />
      </g>
    ),
  };
}
