import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** A panel that a button opens. */
interface Panel {
  readonly isOpen: boolean;
  readonly setOpen: (isOpen: boolean) => void;
  /** Closes the panel and returns the focus to its button. */
  readonly close: () => void;
  /** The element that contains the button and the panel. */
  readonly root: RefObject<HTMLDivElement | null>;
  readonly button: RefObject<HTMLButtonElement | null>;
  /** Closes the panel on Escape; for `onKeyDown` of the root. */
  readonly press: (event: KeyboardEvent) => void;
}

/** A panel that Escape, a press outside and a focus outside close. */
export function usePanel(): Panel {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const outside = ({ target }: Event) => {
      if (target instanceof Node && root.current?.contains(target) !== true) setOpen(false);
    };
    document.addEventListener('pointerdown', outside);
    document.addEventListener('focusin', outside);
    return () => {
      document.removeEventListener('pointerdown', outside);
      document.removeEventListener('focusin', outside);
    };
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return;
    event.preventDefault();
    close();
  };
  return { isOpen, setOpen, close, root, button, press };
}
