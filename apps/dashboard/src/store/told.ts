import { accountSignal } from './present-sign-in.ts';

/** The time for which a sentence is shown, milliseconds. */
const shownMs = 6_000;

/** The last action, in a sentence at the foot of the page; '': none. */
export const told = accountSignal('');

export function tell(words: string): void {
  told.value = words;
  setTimeout(() => {
    if (told.value === words) told.value = '';
  }, shownMs);
}
