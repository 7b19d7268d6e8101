import type { ComponentChildren } from 'preact';

/** A section that scrolls where its content is too wide. It takes the focus, so that the arrow keys scroll it, too. */
export function ScrollSection({
  label,
  class: className = 'scroll',
  children,
}: {
  readonly label: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: an element that scrolls must be reachable by keyboard
    <section class={className} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
