import type { ComponentChildren } from 'preact';
import { texts } from '../texts/index.ts';

/** The end of a form: what is refused that belongs to no field. */
export function Refusal({ words }: { readonly words: string | undefined }) {
  if (words === undefined) return null;
  return (
    <p class="hint bad" role="alert">
      {words}
    </p>
  );
}

/** The main button of a form. */
export function Submit({
  isOff,
  children,
}: {
  readonly isOff: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <button type="submit" class="button main" disabled={isOff}>
      {children}
    </button>
  );
}

/** The button that closes a dialog without a change. */
export function Cancel({ onClose }: { readonly onClose: () => void }) {
  return (
    <button type="button" class="button" onClick={onClose}>
      {texts.edit.cancel}
    </button>
  );
}
