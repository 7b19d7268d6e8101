import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import css from './dialog.module.css';

/** A dialog of the browser: it keeps the focus inside, and gives it back. */
export function Dialog({
  title,
  onClose,
  isWide = false,
  isHeadHidden = false,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly isWide?: boolean;
  readonly isHeadHidden?: boolean;
  readonly children: ComponentChildren;
}) {
  const place = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    place.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={place}
      class={`${css['dialog']} ${isWide ? css['wide'] : ''}`}
      aria-label={title}
      onClose={onClose}
    >
      {!isHeadHidden && (
        <h2 class={`clamp ${css['head']}`} title={title}>
          {title}
        </h2>
      )}
      {children}
    </dialog>
  );
}
