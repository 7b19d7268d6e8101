import { useLayoutEffect } from 'preact/hooks';

/** The action of a key. `Ctrl+k` needs Control (or Command). */
export type KeyActions = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const storageKey = 'vantage-letters';
/** A field keeps the focus for a moment after its dialog closed. A key that is pressed then is not for the field. */
const inField = (target: EventTarget | null) =>
  target instanceof Element &&
  target.closest('input:not([type=checkbox]), textarea, select, [contenteditable]') !== null &&
  target.closest('dialog:not([open])') === null;

/** Whether single letters are keyboard shortcuts. */
export const lettersAreKeys = () => localStorage.getItem(storageKey) !== 'off';
export const setLetters = (on: boolean) => localStorage.setItem(storageKey, on ? 'on' : 'off');

let prefix = '';

/**
 * Handles keys while the component is shown. Letters are ignored in fields and while a dialog is open. `g d` is a g,
 * then a d.
 */
export function useKeys(keys: KeyActions): void {
  // A layout effect runs before the browser paints, so a key that is pressed immediately is not lost.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const hasCtrl = event.ctrlKey || event.metaKey;
      const name = `${hasCtrl ? 'Ctrl+' : ''}${event.key}`;
      const isLetter = !hasCtrl && event.key.length === 1;
      const isBehindDialog = document.querySelector('dialog[open]') !== null && name !== 'Ctrl+k';
      if (event.defaultPrevented || event.altKey || isBehindDialog) return;
      if (!name.startsWith('Ctrl+k') && inField(event.target) && event.key !== 'Escape') return;
      if (isLetter && !lettersAreKeys()) return;
      const act = keys[prefix === '' ? name : `${prefix} ${name}`];
      if (act === undefined) return;
      event.preventDefault();
      act(event);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
}

/** Remembers a `g` for the next key. Its listener runs before those of `useKeys`. */
export function watchPrefix(): void {
  let next = '';
  const remember = ({ key, ctrlKey, metaKey, target }: KeyboardEvent) => {
    prefix = next;
    next = key === 'g' && prefix === '' && !ctrlKey && !metaKey && !inField(target) ? 'g' : '';
  };
  document.addEventListener('keydown', remember, { capture: true });
}
