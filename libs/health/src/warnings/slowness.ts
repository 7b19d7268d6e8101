/** How slow the good checks of a device were lately. Null: not slow, and its last good check was fast. Plain JSON. */
export interface Slowness {
  readonly isSlow: boolean;
  /** Checks in a row that speak for the other state. */
  readonly inRow: number;
}

/** A device is slow after so many slow checks in a row … */
export const slowAfter = 3;
/**
 * … and not slow any more after so many fast ones. More than above, so that a device at its limit does not change again
 * and again.
 */
export const fastAfter = 5;

/*
 * Regular checks that are good decide, one after the other, from whatever Location. Errors and inconclusive ones say
 * nothing about speed.
 *
 *   state                 | check | next
 *   not slow              | slow  | one more in a row; the third one: slow, event Slow
 *   not slow              | fast  | not slow, none in a row
 *   slow                  | fast  | one more in a row; the fifth one: not slow, event Fast
 *   slow                  | slow  | slow, none in a row
 */

/** The state after a good check, and the change that it made. Pure. */
export function stepSlowness(
  before: Slowness | null,
  isSlowCheck: boolean,
): { readonly after: Slowness | null; readonly change: 'slow' | 'fast' | null } {
  const { isSlow, inRow } = before ?? { isSlow: false, inRow: 0 };
  if (isSlow === isSlowCheck)
    return { after: isSlow ? (inRow === 0 ? before : { isSlow, inRow: 0 }) : null, change: null };
  const next = inRow + 1;
  if (!isSlow && next >= slowAfter) return { after: { isSlow: true, inRow: 0 }, change: 'slow' };
  if (isSlow && next >= fastAfter) return { after: null, change: 'fast' };
  return { after: { isSlow, inRow: next }, change: null };
}
