import { useState } from 'preact/hooks';
import { movedTo, stripOf, type TimeSpan, ticksOf } from '../../model/time-range.ts';
import { runsOf } from '../../model/timeline.ts';
import bar from '../../parts/bar.module.css';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { api, take } from '../../store/api.ts';
import { minute, now, zone } from '../../store/clock.ts';
import { intervalOf } from '../../store/read-report.ts';
import css from './axis.module.css';
import { type AxisFrame, frameOf } from './axis-frame.ts';
import { axisTexts as say } from './axis-texts.ts';
import { offsetAt, spanWords, tickWords } from './axis-words.ts';
import type { DeviceRange } from './range.ts';
import { timestampsOf } from './read-axis.ts';

const height = 60;
const barTop = 20;
const barBottom = 38;
const heights = { Up: 3, Down: 18, Maint: 10, Unknown: 10 } as const;
const minWindowPx = 6;
const labelPx = 84;

/** Reads the statuses and the number of outages of a strip. */
async function readStrip(device_id: string, span: TimeSpan) {
  const period = timestampsOf(span);
  const path = { device_id };
  const [timelines, { Uptime }] = await Promise.all([
    take(api.GET('/timeline', { params: { query: { Device: [device_id], ...period } } })),
    take(api.GET('/devices/{device_id}/uptime', { params: { path, query: period } })),
  ]);
  return { intervals: timelines[0]?.Intervals ?? [], outages: Uptime.Outages };
}

/** The window of the range in a strip. Both of its ends stay visible. Pure. */
function windowIn(frame: AxisFrame, { from, to }: TimeSpan): { readonly x: number; readonly width: number } {
  const width = Math.max(minWindowPx, frame.x(to) - frame.x(from));
  return { x: Math.min(frame.x(from), frame.right - width), width };
}

/** The pointer moves the window, from wherever it is pressed. */
function useWindowDrag(frame: AxisFrame, span: TimeSpan, onMove: (from: number) => void) {
  const [drag, setDrag] = useState<{ readonly grip: number; readonly from: number }>();
  const perPx = (frame.to - frame.from) / Math.max(1, frame.right - frame.left);
  const timeAt = (event: PointerEvent & { readonly currentTarget: SVGElement }) =>
    frame.from + (event.clientX - event.currentTarget.getBoundingClientRect().left - frame.left) * perPx;
  const length = span.to - span.from;
  const within = (from: number) => Math.min(frame.to - length, Math.max(frame.from, from));
  return {
    dragged: drag && { from: drag.from, to: drag.from + length },
    handlers: {
      onPointerDown(event: PointerEvent & { readonly currentTarget: SVGElement }) {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const at = timeAt(event);
        const shown = windowIn(frame, span);
        const isInside = frame.x(at) >= shown.x && frame.x(at) <= shown.x + shown.width;
        // A press outside the window brings its middle there.
        const grip = isInside ? at - span.from : length / 2;
        setDrag({ grip, from: within(at - grip) });
      },
      onPointerMove(event: PointerEvent & { readonly currentTarget: SVGElement }) {
        if (drag !== undefined) setDrag({ ...drag, from: within(timeAt(event) - drag.grip) });
      },
      onPointerUp() {
        if (drag === undefined) return;
        setDrag(undefined);
        if (Math.abs(drag.from - span.from) >= perPx) onMove(drag.from);
      },
      onPointerCancel: () => setDrag(undefined),
    },
  };
}

/** 30 days below the axis, with the range as a window that can be moved. */
export function RangeStrip({
  deviceId,
  range,
  width,
  isReady,
  newest,
}: {
  readonly deviceId: string;
  readonly range: DeviceRange;
  /** Pixels; 0: not known yet. */
  readonly width: number;
  /** Whether the rows above are read, which come first. */
  readonly isReady: boolean;
  /** The newest event of the device. */
  readonly newest: string | undefined;
}) {
  const { span } = range;
  const strip = stripOf(span, now.value);
  const isNow = strip !== undefined && strip.to >= now.value;
  const read = useRead(
    async () => (strip === undefined || !isReady ? undefined : readStrip(deviceId, strip)),
    [deviceId, isReady, isNow ? 'now' : strip?.to],
    isNow ? [newest, minute.value] : [],
  );
  const frame = frameOf(strip ?? span, width);
  const { dragged, handlers } = useWindowDrag(frame, span, (from) =>
    range.set(movedTo(range.chosen, from, now.value)),
  );
  if (strip === undefined) return null;
  const shown = windowIn(frame, dragged ?? span);
  const intervals = (read.data?.intervals ?? []).map((each) =>
    intervalOf(each, Math.min(now.value, strip.to)),
  );
  const words = spanWords(dragged ?? span, zone.value, undefined);
  const press = (event: KeyboardEvent) => {
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key] as -1 | 1 | undefined;
    if (direction === undefined) return;
    event.preventDefault();
    range.move(direction);
  };
  const most = Math.floor((frame.right - frame.left) / labelPx);
  return (
    <div class={css['strip']}>
      {width > 0 && (
        <div
          role="slider"
          tabIndex={0}
          aria-label={say.stripLabel}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(((span.from - strip.from) / (strip.to - strip.from)) * 100)}
          aria-valuetext={words}
          class={css['focus']}
          onKeyDown={press}
        >
          <svg
            class={`${css['axis']} ${css['grab']}`}
            width={width}
            height={height}
            viewBox={`0 0 ${width} ${height}`}
            aria-hidden="true"
            {...handlers}
          >
            <text class={css['name']} x="0" y={frame.isNarrow ? 9 : barBottom}>
              {say.strip}
            </text>
            <rect
              class={bar['none']}
              x={frame.left}
              y={barBottom - 1}
              width={frame.right - frame.left}
              height="1"
            />
            {runsOf(intervals, frame, Math.round(frame.right - frame.left)).map((run) => (
              <rect
                key={run.x}
                class={bar[run.status]}
                x={frame.left + run.x}
                y={barBottom - heights[run.status]}
                width={run.width}
                height={heights[run.status]}
              />
            ))}
            {ticksOf(strip, most, offsetAt(zone.value, strip.from)).map((at) => (
              <text key={at} x={frame.x(at)} y={height - 6} text-anchor="middle">
                {tickWords(at, strip, zone.value)}
              </text>
            ))}
            <rect
              class={css['window']}
              x={shown.x}
              y={barTop - 6}
              width={shown.width}
              height={barBottom - barTop + 12}
            />
            <path
              class={css['ends']}
              d={`M${shown.x} ${barTop - 6}V${barBottom + 6}M${shown.x + shown.width} ${barTop - 6}V${barBottom + 6}`}
            />
            <text
              x={frame.isNarrow ? frame.right : frame.right + 12}
              y={frame.isNarrow ? 9 : barBottom - 14}
              text-anchor={frame.isNarrow ? 'end' : 'start'}
            >
              {dragged === undefined ? say.stripDrag : words}
            </text>
            {!frame.isNarrow && read.data !== undefined && (
              <text class={css['value']} x={frame.right + 12} y={barBottom}>
                {say.outages(read.data.outages)}
              </text>
            )}
          </svg>
        </div>
      )}
      <ReadState read={read} rows={0} />
    </div>
  );
}
