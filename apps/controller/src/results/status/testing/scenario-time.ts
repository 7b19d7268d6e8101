/** Microseconds of a second. */
export const second = 1_000_000;
/** When every scene begins, microseconds since 1970. */
export const startUs = 1_700_000_000 * second;
