import { useState } from 'preact/hooks';
import type { TimeSpan } from '../../model/time-range.ts';
import type { AxisFrame } from './axis-frame.ts';

const dragPx = 6;

/** The pointer on the axis: it moves the cursor, selects a span, and clicks a moment. */
export function useAxisPointer(
  frame: AxisFrame,
  acts: {
    readonly onLook: (at: number | undefined) => void;
    readonly onPick: (at: number) => void;
    readonly onZoom: (span: TimeSpan) => void;
  },
) {
  const [drag, setDrag] = useState<{ readonly start: number; readonly end: number }>();
  const timeAt = (event: PointerEvent & { readonly currentTarget: SVGElement }) => {
    const px = event.clientX - event.currentTarget.getBoundingClientRect().left;
    const share = (px - frame.left) / Math.max(1, frame.right - frame.left);
    return frame.from + Math.min(1, Math.max(0, share)) * (frame.to - frame.from);
  };
  const widthOf = (start: number, end: number) => Math.abs(frame.x(end) - frame.x(start));
  return {
    dragged:
      drag === undefined || widthOf(drag.start, drag.end) < dragPx
        ? undefined
        : { from: Math.min(drag.start, drag.end), to: Math.max(drag.start, drag.end) },
    handlers: {
      onPointerDown(event: PointerEvent & { readonly currentTarget: SVGElement }) {
        // A finger scrolls.
        if (event.button !== 0 || event.pointerType === 'touch') return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const at = timeAt(event);
        setDrag({ start: at, end: at });
      },
      onPointerMove(event: PointerEvent & { readonly currentTarget: SVGElement }) {
        const at = timeAt(event);
        acts.onLook(at);
        if (drag !== undefined) setDrag({ ...drag, end: at });
      },
      onPointerUp(event: PointerEvent & { readonly currentTarget: SVGElement }) {
        const at = timeAt(event);
        setDrag(undefined);
        if (event.button !== 0) return;
        if (drag !== undefined && widthOf(drag.start, at) >= dragPx)
          acts.onZoom({ from: Math.min(drag.start, at), to: Math.max(drag.start, at) });
        else acts.onPick(at);
      },
      onPointerCancel: () => setDrag(undefined),
      onPointerLeave: () => acts.onLook(undefined),
    },
  };
}
