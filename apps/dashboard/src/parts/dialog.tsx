import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import css from './dialog.module.css';

/** A modal dialog of the browser. The focus stays inside, and returns to where it was when the dialog closes. */
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
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
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
