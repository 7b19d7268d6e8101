import type { JSX } from 'preact';
import type { AxisMark } from '../../model/axis-marks.ts';
import css from './axis.module.css';

/** Functions, because an element that Preact shows twice keeps its former ancestors in memory. */
const shapes: Readonly<Record<AxisMark['kind'], () => JSX.Element>> = {
  Change: () => <circle r="4.5" />,
  Deployment: () => <path d="M0 -5.5 5.5 0 0 5.5 -5.5 0Z" />,
  Note: () => <path d="M-5 -5h10v7h-5l-3 3v-3h-2Z" />,
  Maintenance: () => <rect x="-4.5" y="-4.5" width="9" height="9" rx="1.5" />,
  Restart: () => <path d="M-4.5 0a4.5 4.5 0 1 0 4.5-4.5V-7l-3.5 3.5L0 0v-2.5A2.5 2.5 0 1 1-2.5 0Z" />,
  Error: () => <path d="M0 -5.5 5.5 5h-11Z" />,
};

/** The symbol of a mark around a point. */
export function MarkGlyph({
  kind,
  x = 0,
  y = 0,
}: {
  readonly kind: AxisMark['kind'];
  readonly x?: number;
  readonly y?: number;
}) {
  return (
    <g class={css[`glyph${kind}`] ?? css['glyph']} transform={`translate(${x} ${y})`}>
      {shapes[kind]()}
    </g>
  );
}

/** The symbol beside a line of text. */
export function MarkIcon({ kind }: { readonly kind: AxisMark['kind'] }) {
  return (
    <svg class={css['markIcon']} viewBox="-7 -7 14 14" aria-hidden="true">
      <MarkGlyph kind={kind} />
    </svg>
  );
}
