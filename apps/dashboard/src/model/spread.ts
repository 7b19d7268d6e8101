/**
 * Moves labels down or up as little as possible, so that neighbours are `gap` apart and none is below `bottom`. The
 * positions come back in the order in which they were given. Pure.
 */
export function spread(wanted: readonly number[], gap: number, bottom: number): readonly number[] {
  const order = wanted.map((y, index) => ({ y, index })).sort((a, b) => a.y - b.y || a.index - b.index);
  let above = Number.NEGATIVE_INFINITY;
  for (const label of order) {
    label.y = Math.max(label.y, above + gap);
    above = label.y;
  }
  let below = bottom + gap;
  for (const label of order.toReversed()) {
    label.y = Math.min(label.y, below - gap);
    below = label.y;
  }
  return order.sort((a, b) => a.index - b.index).map(({ y }) => y);
}
