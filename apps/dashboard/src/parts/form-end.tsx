import type { ComponentChildren } from 'preact';
import { formTexts } from '../texts/form-texts.ts';

/** The refusal of a form that belongs to none of its fields. */
export function FormRefusal({ words }: { readonly words: string | undefined }) {
  if (words === undefined) return null;
  return (
    <p class="hint bad" role="alert">
      {words}
    </p>
  );
}

/** The main button of a form. */
export function SubmitButton({
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
export function CancelButton({ onClose }: { readonly onClose: () => void }) {
  return (
    <button type="button" class="button" onClick={onClose}>
      {formTexts.cancel}
    </button>
  );
}
