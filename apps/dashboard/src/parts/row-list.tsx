import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { assignSlots, type RowSlots } from '../model/row-slots.ts';
import css from './row-list.module.css';

/** Rows rendered beyond each edge of the window, so that scrolling shows no gap. */
const extraRows = 12;

/** The range of rows that the window shows. */
function useVisibleRange(list: RefObject<HTMLElement | null>, height: number, count: number) {
  const [range, setRange] = useState({ first: 0, last: 40 });
  useEffect(() => {
    const update = () => {
      const top = list.current?.getBoundingClientRect().top ?? 0;
      const first = Math.max(0, Math.floor(-top / height) - extraRows);
      const last = Math.ceil((innerHeight - top) / height) + extraRows;
      setRange((old) => (old.first === first && old.last === last ? old : { first, last }));
    };
    update();
    addEventListener('scroll', update, { passive: true });
    addEventListener('resize', update);
    return () => {
      removeEventListener('scroll', update);
      removeEventListener('resize', update);
    };
  }, [height, count]);
  return range;
}

/** The slot of the row with the focus. */
function focusedSlot(list: HTMLElement | null): number | undefined {
  const active = document.activeElement;
  const holder = active !== null && list?.contains(active) === true ? active.closest('[data-slot]') : null;
  return holder instanceof HTMLElement ? Number(holder.dataset['slot']) : undefined;
}

/**
 * A list of thousands of rows: only the visible ones are in the document. Every row has the same height, and the page
 * itself scrolls.
 */
export function RowList<Row>({
  rows,
  heightOf,
  keyOf,
  activeKey,
  onTouch,
  label,
  head,
  show,
}: {
  readonly rows: readonly Row[];
  /** The height of a row at the present width of the window. */
  readonly heightOf: () => number;
  readonly keyOf: (row: Row) => string;
  /** The row that was chosen by keyboard; it is scrolled into view. */
  readonly activeKey: string;
  /** Called when the pointer or the focus is on a row. */
  readonly onTouch: () => void;
  readonly label: string;
  readonly head: ComponentChildren;
  readonly show: (row: Row, at: number) => ComponentChildren;
}) {
  const list = useRef<HTMLDivElement>(null);
  const space = useRef<HTMLDivElement>(null);
  const height = heightOf();
  const range = useVisibleRange(list, height, rows.length);
  useEffect(() => {
    const activeAt = rows.findIndex((row) => keyOf(row) === activeKey);
    if (activeAt < 0) return;
    const top = (list.current?.getBoundingClientRect().top ?? 0) + activeAt * height;
    if (top < 120) scrollBy(0, top - 120);
    else if (top + height > innerHeight - 60) scrollBy(0, top + height - innerHeight + 60);
  }, [activeKey]);
  const first = Math.min(range.first, Math.max(0, rows.length - 1));
  useEffect(() => {
    list.current?.style.setProperty('height', `${rows.length * height}px`);
    space.current?.style.setProperty('height', `${first * height}px`);
  }, [rows.length, height, first]);
  const shown = rows.slice(first, range.last);
  const slots = useRef<RowSlots>(new Map());
  slots.current = assignSlots(slots.current, shown.map(keyOf), focusedSlot(list.current));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot leave out rows and keep the positions of the others
    <div role="table" aria-label={label} aria-rowcount={rows.length + 1}>
      {head}
      {/* biome-ignore lint/a11y/useSemanticElements: the rows of a table of divs */}
      <div ref={list} class={css['rows']} role="rowgroup" onPointerMove={onTouch} onFocusIn={onTouch}>
        <div ref={space} role="presentation" />
        {shown.map((row, at) => {
          const slot = slots.current.get(keyOf(row));
          return (
            <div key={slot} data-slot={slot} role="presentation">
              {show(row, first + at)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
