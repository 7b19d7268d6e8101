/** The speed of the last good checks of a device. Null: not slow, and its last good check was fast. Plain JSON. */
export interface Slowness {
  readonly isSlow: boolean;
  /** Consecutive checks that contradict the present state. */
  readonly inRow: number;
}

/** A device is slow after this number of consecutive slow checks. */
export const slowAfter = 3;
/** A slow device is fast again after this number of consecutive fast checks; more, so that it does not flap. */
export const fastAfter = 5;

/*
 * Good regular checks decide, one after the other, from any Location. Errors and inconclusive results have no effect.
 *
 *   state                 | check | next
 *   not slow              | slow  | one more in a row; the third one: slow, event Slow
 *   not slow              | fast  | not slow, none in a row
 *   slow                  | fast  | one more in a row; the fifth one: not slow, event Fast
 *   slow                  | slow  | slow, none in a row
 */

/** The state after a good check, and the change that the check caused. Pure. */
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
