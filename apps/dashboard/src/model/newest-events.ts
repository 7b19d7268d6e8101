/**
 * Puts events that arrived before those that are shown, both newest first; what is shown already is not repeated, and
 * at most `most` stay.
 */
export function withArrived<T extends { readonly event_id: string }>(
  arrived: readonly T[],
  shown: readonly T[],
  most: number,
): readonly T[] {
  const known = new Set(shown.map(({ event_id }) => event_id));
  return [...arrived.filter(({ event_id }) => !known.has(event_id)), ...shown].slice(0, most);
}
