import type { ComponentChildren } from 'preact';
import css from './menu-button.module.css';
import { usePanel } from './use-panel.ts';

/** A button that opens a small panel below it. Escape and a press elsewhere close it. */
export function MenuButton({
  words,
  children,
}: {
  readonly words: string;
  /** `close` closes the panel. */
  readonly children: (close: () => void) => ComponentChildren;
}) {
  const { isOpen, setOpen, close, root, button, press } = usePanel();
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the panel from anywhere inside
    <div ref={root} class={css['menu']} onKeyDown={press}>
      <button
        ref={button}
        type="button"
        class="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {words}
      </button>
      {isOpen && <div class={css['panel']}>{children(close)}</div>}
    </div>
  );
}
