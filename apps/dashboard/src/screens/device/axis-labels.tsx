import { spread } from '../../model/spread.ts';
import css from './axis.module.css';
import type { AxisFrame, EdgeLabel } from './axis-frame.ts';

const gap = 14;

/** The readings of a row at the right edge, each near its layer. */
export function EdgeLabels({
  labels,
  frame,
  bottom,
}: {
  readonly labels: readonly EdgeLabel[];
  readonly frame: AxisFrame;
  readonly bottom: number;
}) {
  if (frame.isNarrow) return null;
  const places = spread(
    labels.map(({ y }) => y),
    gap,
    bottom,
  );
  const left = frame.right + 12;
  return (
    <g>
      {labels.map(({ key, words, value, symbol }, at) => {
        const y = places[at] ?? 0;
        return (
          <g key={key}>
            {symbol?.shape === 'area' && (
              <rect class={symbol.className} x={left} y={y - 4} width="9" height="8" rx="1" />
            )}
            {symbol?.shape === 'line' && <path class={symbol.className} d={`M${left} ${y}h9`} />}
            <text x={left + (symbol === undefined ? 0 : 14)} y={y + 4}>
              {words}
            </text>
            <text class={css['value']} x={frame.width} y={y + 4} text-anchor="end">
              {value}
            </text>
          </g>
        );
      })}
    </g>
  );
}
