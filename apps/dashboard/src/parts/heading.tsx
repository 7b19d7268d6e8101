import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { address } from '../store/address.ts';

/** The path of the last heading; undefined: there was none. */
let lastPath: string | undefined;

/**
 * The heading of a screen. It gets the focus after navigation, so that screen readers read it. A heading that replaces
 * another one of the same screen, because data arrived, takes the focus from nothing that has it.
 */
export function Heading({ children, id }: { readonly children: ComponentChildren; readonly id?: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const { path } = address.peek();
    const isFree = document.activeElement === null || document.activeElement === document.body;
    if (lastPath !== undefined && (path !== lastPath || isFree))
      heading.current?.focus({ preventScroll: true });
    lastPath = path;
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1} id={id}>
      {children}
    </h1>
  );
}
