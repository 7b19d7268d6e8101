import type { Signal } from '@preact/signals';
import { nextMark } from '../../model/axis-marks.ts';
import { briefly } from '../../model/format.ts';
import { type TimeSpan, ticksOf } from '../../model/time-range.ts';
import { secondsSince, zone } from '../../store/clock.ts';
import css from './axis.module.css';
import type { AxisFrame, AxisRow } from './axis-frame.ts';
import { MarkLines, MarksRow } from './axis-marks.tsx';
import { useAxisPointer } from './axis-pointer.ts';
import { axisTexts as say } from './axis-texts.ts';
import { momentWords, offsetAt, tickWords } from './axis-words.ts';
import type { DeviceMark } from './device-marks.ts';
import { cursorIn, pinCursor } from './range.ts';

const marksY = 34;
const firstTop = 54;
const rowGap = 18;
const narrowGap = 34;
const axisHeight = 20;
const labelPx = 84;

/** The top of each row, and the bottom of the last one. `isAbove`: names stand above their rows. */
function placesOf(heights: readonly number[], isAbove: boolean) {
  const gap = isAbove ? narrowGap : rowGap;
  let top = firstTop + (isAbove ? narrowGap - rowGap : 0);
  const tops = heights.map((height) => {
    const own = top;
    top += height + gap;
    return own;
  });
  return { tops, bottom: top - gap + 4 };
}

/** The space of a figure whose rows have their names above, so that nothing moves when it is drawn. */
export function FigureSpace({ heights }: { readonly heights: readonly number[] }) {
  return (
    <figure class={css['figure']}>
      <svg
        class={css['axis']}
        width="1"
        height={placesOf(heights, true).bottom + axisHeight}
        aria-hidden="true"
      />
    </figure>
  );
}

/** Rows with one x, one cursor and one selection. */
export function Axis({
  frame,
  rowsAt,
  marks,
  newest,
  cursor,
  isNamedAbove = false,
  chosen,
  label,
  onChoose,
  onPick,
  onZoom,
  onBack,
  stepMs,
}: {
  readonly frame: AxisFrame;
  /** The rows with their values at this time. */
  readonly rowsAt: (at: number, hasCursor: boolean) => readonly AxisRow[];
  readonly marks: readonly DeviceMark[];
  /** The newest moment that has data: it is read without a cursor. */
  readonly newest: number;
  /** The time at the pointer, which all figures of the screen share; undefined: the cursor is that of the address. */
  readonly cursor: Signal<number | undefined>;
  /** Names stand above their rows on wide screens too: they are long. */
  readonly isNamedAbove?: boolean;
  readonly chosen: string | undefined;
  readonly label: string;
  readonly onChoose: (mark: DeviceMark) => void;
  readonly onPick: (at: number) => void;
  readonly onZoom: (span: TimeSpan) => void;
  readonly onBack: () => void;
  /** The way of an arrow key. */
  readonly stepMs: number;
}) {
  const looked = cursor.value ?? cursorIn(frame);
  const at = Math.min(frame.to, Math.max(frame.from, looked ?? newest));
  const hasCursor = looked !== undefined;
  const rows = rowsAt(at, hasCursor);
  const isAbove = frame.isNarrow || isNamedAbove;
  const { tops, bottom } = placesOf(
    rows.map(({ height }) => height),
    isAbove,
  );
  const { dragged, handlers } = useAxisPointer(frame, {
    onLook: (moment) => {
      cursor.value = moment;
    },
    onZoom,
    onPick: (moment) => {
      pinCursor(moment);
      onPick(moment);
    },
  });
  const press = (event: KeyboardEvent) => {
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key] as -1 | 1 | undefined;
    if (event.key === 'Enter') onPick(at);
    else if (direction === undefined) return;
    else {
      const mark = event.shiftKey ? nextMark(marks, at, direction) : undefined;
      const next = event.shiftKey ? (mark?.at ?? at) : at + direction * stepMs;
      cursor.value = undefined;
      pinCursor(Math.min(frame.to, Math.max(frame.from, next)));
      if (mark !== undefined) onChoose(mark);
    }
    event.preventDefault();
  };
  const x = Math.round(frame.x(at)) + 0.5;
  return (
    <figure class={css['figure']}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move its cursor */}
      <section class={css['focus']} tabIndex={0} aria-label={label} onKeyDown={press}>
        <svg
          class={css['axis']}
          width={frame.width}
          height={bottom + axisHeight}
          viewBox={`0 0 ${frame.width} ${bottom + axisHeight}`}
          aria-hidden="true"
          onDblClick={onBack}
          {...handlers}
        >
          <MarkLines marks={marks} frame={frame} top={firstTop - 8} bottom={bottom} />
          <Ticks frame={frame} top={firstTop} bottom={bottom} />
          {!frame.isNarrow && (
            <text class={css['name']} x="0" y={marksY + 4}>
              {say.marks}
            </text>
          )}
          {rows.map(({ name, hint, reading, view }, index) => {
            const top = tops[index] ?? 0;
            return (
              <g key={name}>
                <text class={css['name']} x="0" y={isAbove ? top - 8 : top + 11}>
                  {name}
                </text>
                {frame.isNarrow ? (
                  <text class={css['value']} x={frame.right} y={top - 8} text-anchor="end">
                    {reading} {say.at(momentWords(at, frame, zone.value))}
                  </text>
                ) : (
                  <text x="0" y={top + 26}>
                    {hint}
                  </text>
                )}
                {view(top)}
              </g>
            );
          })}
          {dragged !== undefined && (
            <rect
              class={css['dragged']}
              x={frame.x(dragged.from)}
              y={firstTop - 8}
              width={frame.x(dragged.to) - frame.x(dragged.from)}
              height={bottom - firstTop + 8}
            />
          )}
          <Cursor frame={frame} x={x} at={at} bottom={bottom} isShown={hasCursor} />
          <MarksRow marks={marks} frame={frame} y={marksY} chosen={chosen} onChoose={onChoose} />
        </svg>
      </section>
    </figure>
  );
}

function Ticks({
  frame,
  top,
  bottom,
}: {
  readonly frame: AxisFrame;
  readonly top: number;
  readonly bottom: number;
}) {
  const most = Math.floor((frame.right - frame.left) / labelPx);
  const ticks = ticksOf(frame, most, offsetAt(zone.value, frame.from));
  return (
    <g>
      {ticks.map((at) => {
        const x = Math.round(frame.x(at)) + 0.5;
        const hasSpace = x > frame.left + 20 && x < frame.right - 40;
        return (
          <g key={at}>
            <path class={css['grid']} d={`M${x} ${top}V${bottom}`} />
            {hasSpace && (
              <text x={x} y={bottom + 14} text-anchor="middle">
                {tickWords(at, frame, zone.value)}
              </text>
            )}
          </g>
        );
      })}
      <text class={css['value']} x={frame.right} y={bottom + 14} text-anchor="end">
        {secondsSince(frame.to) < 60 ? say.now : tickWords(frame.to, frame, zone.value)}
      </text>
    </g>
  );
}

/** The cursor with its time, and its age at the right edge. */
function Cursor({
  frame,
  x,
  at,
  bottom,
  isShown,
}: {
  readonly frame: AxisFrame;
  readonly x: number;
  readonly at: number;
  readonly bottom: number;
  readonly isShown: boolean;
}) {
  const words = momentWords(at, frame, zone.value);
  const half = words.length * 3.4 + 8;
  const middle = Math.min(frame.right - half, Math.max(half, x));
  const age = Math.max(0, secondsSince(at));
  return (
    <g class={css['cursor']}>
      {isShown && (
        <>
          <path class={css['cursorLine']} d={`M${x} 17V${bottom}`} />
          <rect class={css['cursorBox']} x={middle - half} y="0" width={half * 2} height="17" rx="3" />
          <text class={css['cursorText']} x={middle} y="12.5" text-anchor="middle">
            {words}
          </text>
        </>
      )}
      {!frame.isNarrow && (
        <>
          <text class={css['value']} x={frame.right + 12} y={marksY + 4}>
            {words}
          </text>
          <text x={frame.width} y={marksY + 4} text-anchor="end">
            {age < 60 ? say.now : say.ago(briefly(age))}
          </text>
        </>
      )}
    </g>
  );
}
