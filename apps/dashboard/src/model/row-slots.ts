/** The number of the element that shows a row, by the key of the row. */
export type RowSlots = ReadonlyMap<string, number>;

/**
 * Gives each key a slot. A key that was shown keeps its slot, and new ones take over those of keys that are gone: their
 * elements get other texts, which costs less than new elements. The slot of `focused` is not taken over, because the
 * focus must not move to another row without a sound. Pure.
 */
export function assignSlots(before: RowSlots, keys: readonly string[], focused?: number): RowSlots {
  const shown = new Set(keys);
  const kept = new Set([...before].filter(([key]) => shown.has(key)).map(([, slot]) => slot));
  const free = [...before.values()].filter((slot) => !kept.has(slot) && slot !== focused);
  let next = Math.max(-1, ...before.values(), focused ?? -1) + 1;
  const newSlot = () => {
    next += 1;
    return next - 1;
  };
  return new Map(keys.map((key) => [key, before.get(key) ?? free.shift() ?? newSlot()]));
}
