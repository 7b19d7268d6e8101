import type { VNode } from 'preact';
import type { TimeSpan } from '../../model/time-range.ts';

/** The left and right edge that all rows share. Lengths are pixels. */
export interface AxisFrame extends TimeSpan {
  readonly width: number;
  readonly left: number;
  readonly right: number;
  /** Names and readings are above each row. */
  readonly isNarrow: boolean;
  readonly x: (ms: number) => number;
}

const narrowWidth = 640;

export function frameOf(span: TimeSpan, width: number): AxisFrame {
  const isNarrow = width < narrowWidth;
  const left = isNarrow ? 44 : 100;
  const right = width - (isNarrow ? 2 : 172);
  const scale = (right - left) / Math.max(1, span.to - span.from);
  const x = (ms: number) => left + (Math.min(span.to, Math.max(span.from, ms)) - span.from) * scale;
  return { ...span, width, left, right, isNarrow, x };
}

/** A row of the axis. */
export interface AxisRow {
  readonly name: string;
  readonly hint?: string;
  readonly height: number;
  /** The value at the cursor, for a narrow screen. */
  readonly reading: string;
  readonly view: (top: number) => VNode;
}

/** A reading at the right edge. `y` is where its layer is. */
export interface EdgeLabel {
  readonly key: string;
  readonly words: string;
  readonly value: string;
  readonly y: number;
  /** The class of its symbol: a filled square, or a line. */
  readonly symbol?: { readonly shape: 'area' | 'line'; readonly className: string | undefined };
}
