import { groupMarks } from '../../model/axis-marks.ts';
import css from './axis.module.css';
import type { AxisFrame } from './axis-frame.ts';
import { axisTexts as say } from './axis-texts.ts';
import type { DeviceMark } from './device-marks.ts';
import { MarkGlyph } from './mark-glyph.tsx';

/** Maintenance as a band, and first errors as a dotted line, through all rows. */
export function MarkLines({
  marks,
  frame,
  top,
  bottom,
}: {
  readonly marks: readonly DeviceMark[];
  readonly frame: AxisFrame;
  readonly top: number;
  readonly bottom: number;
}) {
  return (
    <g>
      {marks.map(({ key, kind, at, end }) =>
        kind === 'Maintenance' && end !== null ? (
          <rect
            key={key}
            class={css['maintBand']}
            x={frame.x(at)}
            y={top}
            width={Math.max(1, frame.x(end) - frame.x(at))}
            height={bottom - top}
          />
        ) : (
          kind === 'Error' && (
            <path
              key={key}
              class={css['errorLine']}
              d={`M${Math.round(frame.x(at)) + 0.5} ${top}V${bottom}`}
            />
          )
        ),
      )}
    </g>
  );
}

/** The row of marks; near ones are one symbol with their number. */
export function MarksRow({
  marks,
  frame,
  y,
  chosen,
  onChoose,
}: {
  readonly marks: readonly DeviceMark[];
  readonly frame: AxisFrame;
  readonly y: number;
  readonly chosen: string | undefined;
  readonly onChoose: (mark: DeviceMark) => void;
}) {
  return (
    <g>
      <path class={css['grid']} d={`M${frame.left} ${y + 9.5}H${frame.right}`} />
      {groupMarks(marks, frame.x).map(({ x, marks: own }) => {
        const [first] = own;
        if (first === undefined) return null;
        const shown = own.find(({ kind }) => kind === 'Error') ?? first;
        const left = Math.round(x);
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut for the pointer, the list has all
          <g
            key={first.key}
            class={css['mark']}
            onPointerDown={(event) => event.stopPropagation()}
            onClick={(event) => {
              event.stopPropagation();
              onChoose(shown);
            }}
          >
            <title>{own.length === 1 ? first.words : say.moments(own.length)}</title>
            <rect class={css['hit']} x={left - 10} y={y - 12} width="20" height="24" />
            <MarkGlyph kind={shown.kind} x={left} y={y} />
            {own.length > 1 && (
              <text
                class={css['value']}
                x={left > frame.right - 20 ? left - 8 : left + 8}
                y={y + 4}
                text-anchor={left > frame.right - 20 ? 'end' : 'start'}
              >
                {own.length}
              </text>
            )}
            {own.some(({ key }) => key === chosen) && <circle class={css['ring']} cx={left} cy={y} r="9" />}
          </g>
        );
      })}
    </g>
  );
}
