import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import css from './row-list.module.css';

/** Rows beyond the edges of the window that are there already when one scrolls. */
const beyond = 12;

/** Which rows are in sight of the window. */
function useRange(place: RefObject<HTMLElement | null>, height: number, count: number) {
  const [range, setRange] = useState({ first: 0, last: 40 });
  useEffect(() => {
    const look = () => {
      const top = place.current?.getBoundingClientRect().top ?? 0;
      const first = Math.max(0, Math.floor(-top / height) - beyond);
      const last = Math.ceil((innerHeight - top) / height) + beyond;
      setRange((old) => (old.first === first && old.last === last ? old : { first, last }));
    };
    look();
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [height, count]);
  return range;
}

/**
 * A list of thousands: only what is in sight is in the document. Every row has the same height, and the page itself
 * scrolls.
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
  /** The row that the keys have moved to; it is scrolled into sight. */
  readonly activeKey: string;
  /** Called when somebody points at a row. */
  readonly onTouch: () => void;
  readonly label: string;
  readonly head: ComponentChildren;
  readonly show: (row: Row, at: number) => ComponentChildren;
}) {
  const place = useRef<HTMLDivElement>(null);
  const space = useRef<HTMLDivElement>(null);
  const height = heightOf();
  const range = useRange(place, height, rows.length);
  useEffect(() => {
    const activeAt = rows.findIndex((row) => keyOf(row) === activeKey);
    if (activeAt < 0) return;
    const top = (place.current?.getBoundingClientRect().top ?? 0) + activeAt * height;
    if (top < 120) scrollBy(0, top - 120);
    else if (top + height > innerHeight - 60) scrollBy(0, top + height - innerHeight + 60);
  }, [activeKey]);
  const first = Math.min(range.first, Math.max(0, rows.length - 1));
  useEffect(() => {
    place.current?.style.setProperty('height', `${rows.length * height}px`);
    space.current?.style.setProperty('height', `${first * height}px`);
  }, [rows.length, height, first]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: the rows of a table cannot be cut out of it and keep their place
    <div role="table" aria-label={label} aria-rowcount={rows.length + 1}>
      {head}
      {/* biome-ignore lint/a11y/useSemanticElements: see above */}
      <div ref={place} class={css['rows']} role="rowgroup" onPointerMove={onTouch} onFocusIn={onTouch}>
        <div ref={space} role="presentation" />
        {rows.slice(first, range.last).map((row, at) => (
          <div key={keyOf(row)} role="presentation">
            {show(row, first + at)}
          </div>
        ))}
      </div>
    </div>
  );
}
