import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

let isFirst = true;

/** The heading of a screen. After navigation the focus is here, so that it is read aloud. */
export function Heading({ children, id }: { readonly children: ComponentChildren; readonly id?: string }) {
  const place = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirst) place.current?.focus({ preventScroll: true });
    isFirst = false;
  }, []);
  return (
    <h1 ref={place} tabIndex={-1} id={id}>
      {children}
    </h1>
  );
}
