import { useEffect, useRef, useState } from 'preact/hooks';
import {
  type ChosenRange,
  momentText,
  moved,
  presetSince,
  rangeIn,
  rangeQuery,
  spanOf,
  type TimeSpan,
  zoomed,
} from '../../model/time-range.ts';
import { address, go } from '../../store/address.ts';
import { now, serverNow } from '../../store/clock.ts';

/** The parameters of the address that this screen knows; all but the range stay when that changes. */
const rangeNames = ['span', 'from', 'to'] as const;

/** The time range of the screen, which is in the address. */
export interface DeviceRange {
  readonly chosen: ChosenRange;
  readonly span: TimeSpan;
  readonly set: (range: ChosenRange) => void;
  readonly move: (direction: -1 | 1) => void;
  readonly zoom: (way: 'in' | 'out') => void;
  /** Back to the range before the last change. */
  readonly back: () => void;
}

/** The address of the screen with other parameters; undefined removes one. */
export function addressWith(changed: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams(address.peek().query);
  for (const [name, value] of Object.entries(changed))
    if (value === undefined) query.delete(name);
    else query.set(name, value);
  const text = query.toString();
  return `${address.peek().path}${text === '' ? '' : `?${text}`}`;
}

const cursorName = 'at';

/** The moment of the cursor in the address; undefined: none, or outside the range. */
export function cursorIn({ from, to }: TimeSpan): number | undefined {
  const at = Date.parse(address.value.query.get(cursorName) ?? '');
  return at >= from && at <= to ? at : undefined;
}

/** The parameter of the address for a cursor; whole seconds. */
export const cursorQuery = (at: number | undefined): Readonly<Record<string, string | undefined>> => ({
  [cursorName]: at === undefined ? undefined : momentText(at),
});

/** Keeps the cursor in the address. */
export const pinCursor = (at: number): void => go(addressWith(cursorQuery(at)), { replace: true });

const stepMs = 10_000;

/** The range in the address, or the shortest one that shows all of a new device. */
export function useRange(createdMs: number): DeviceRange {
  // Charts of a range up to now move every ten seconds.
  const nowMs = Math.floor(now.value / stepMs) * stepMs + stepMs;
  const [first] = useState(() => presetSince(createdMs, nowMs));
  const chosen = rangeIn(address.value.query) ?? { preset: first };
  const before = useRef<ChosenRange[]>([]);
  const show = (range: ChosenRange) => {
    const none = Object.fromEntries(rangeNames.map((name) => [name, undefined]));
    go(addressWith({ ...none, ...rangeQuery(range) }));
  };
  const set = (range: ChosenRange) => {
    before.current.push(chosen);
    show(range);
  };
  useEffect(() => {
    before.current = [];
  }, [address.value.path]);
  return {
    chosen,
    span: spanOf(chosen, { now: nowMs, createdMs }),
    set,
    move: (direction) => set(moved(chosen, direction, nowMs)),
    zoom: (way) => set(zoomed(chosen, way, nowMs)),
    back: () => {
      const last = before.current.pop();
      if (last !== undefined) show(last);
    },
  };
}

/** The span to read: one up to now also has what happens until the next step, such as a note that is added. */
export const spanToRead = ({ chosen, span }: DeviceRange): TimeSpan =>
  chosen.preset === undefined ? span : { ...span, to: Math.max(span.to, serverNow() + stepMs) };
