/**
 * Merges events that arrived with those that are shown, both newest first: without repetitions, and at most `maxEvents`
 * of them.
 */
export function withArrived<T extends { readonly event_id: string }>(
  arrived: readonly T[],
  shown: readonly T[],
  maxEvents: number,
): readonly T[] {
  const known = new Set(shown.map(({ event_id }) => event_id));
  return [...arrived.filter(({ event_id }) => !known.has(event_id)), ...shown].slice(0, maxEvents);
}
