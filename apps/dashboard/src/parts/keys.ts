import { useLayoutEffect } from 'preact/hooks';

/** The action of a key. `Ctrl+k` needs Control (or Command). */
export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const place = 'vantage-letters';
/** A field keeps the focus for a moment after its dialog closed; what is typed then is not for it. */
const inField = (target: EventTarget | null) =>
  target instanceof Element &&
  target.closest('input:not([type=checkbox]), textarea, select, [contenteditable]') !== null &&
  target.closest('dialog:not([open])') === null;

/** Whether single letters are keys. */
export const lettersAreKeys = () => localStorage.getItem(place) !== 'off';
export const setLetters = (on: boolean) => localStorage.setItem(place, on ? 'on' : 'off');

let prefix = '';

/**
 * Handles keys while the component is shown. Letters are off in fields and while a dialog is open. `g d` is a g, then a
 * d.
 */
export function useKeys(keys: Keys): void {
  // Before the browser paints: no key is lost that is pressed as soon as the screen is seen.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const held = event.ctrlKey || event.metaKey;
      const name = `${held ? 'Ctrl+' : ''}${event.key}`;
      const isLetter = !held && event.key.length === 1;
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

/** Remembers a `g` for the next key. It listens before all handlers of keys. */
export function watchPrefix(): void {
  let next = '';
  const remember = ({ key, ctrlKey, metaKey, target }: KeyboardEvent) => {
    prefix = next;
    next = key === 'g' && prefix === '' && !ctrlKey && !metaKey && !inField(target) ? 'g' : '';
  };
  document.addEventListener('keydown', remember, { capture: true });
}
