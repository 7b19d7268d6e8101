/**
 * The rows of a list whose order stays: those that it showed (`kept`, their ids) keep their places, also where a
 * changed state would move them or take them out of the filter. New ones that fit follow, and deleted ones leave. Pure.
 */
export function keepPlaces<Row extends { readonly id: string }>(
  kept: readonly string[],
  all: ReadonlyMap<string, Row>,
  fitting: readonly Row[],
): readonly Row[] {
  const shown = new Set(kept);
  return [...kept.flatMap((id) => all.get(id) ?? []), ...fitting.filter(({ id }) => !shown.has(id))];
}

/** How long an order stays after it was made, and after somebody pointed at a row, milliseconds. */
export const steadyMs = 5_000;

/** Whether a list may be sorted again: nobody is about to press a row, and the eye has had time to read. Pure. */
export function maySort({
  nowMs,
  sortedMs,
  touchedMs,
}: {
  readonly nowMs: number;
  readonly sortedMs: number;
  readonly touchedMs: number;
}): boolean {
  return nowMs - Math.max(sortedMs, touchedMs) >= steadyMs;
}
