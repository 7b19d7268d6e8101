/**
 * The sums of a series' values over a span. `slots` counts values on a log scale that all sums share, so that sums of
 * hours, days and Locations add up.
 */
export interface ValueSums {
  count: number;
  sum: number;
  min: number;
  max: number;
  /**
   * The count by slot: 0 for 0, k for values in (smallest * growth^(k-1), smallest * growth^k], and -k for their
   * negatives.
   */
  readonly slots: Map<number, number>;
}

/** Smaller amounts share the first slot. */
const smallest = 1e-9;
const growth = 1.02;
const logGrowth = Math.log(growth);
/** Of the smallest amount. Logarithms are added, because a quotient of large amounts is infinite. */
const logSmallest = Math.log(smallest);

export function noValues(): ValueSums {
  return {
    count: 0,
    sum: 0,
    min: Number.POSITIVE_INFINITY,
    max: Number.NEGATIVE_INFINITY,
    slots: new Map(),
  };
}

/** Adds one value to the sums. A number that is not finite, which no check can store, is left out. */
export function addValue(sums: ValueSums, value: number): void {
  if (!Number.isFinite(value)) return;
  sums.count += 1;
  sums.sum += value;
  if (value < sums.min) sums.min = value;
  if (value > sums.max) sums.max = value;
  addToSlot(sums, slotOf(value), 1);
}

/** Adds sums of another span. */
export function addSums(sums: ValueSums, other: ValueSums): void {
  addFigures(sums, other);
  for (const [slot, count] of other.slots) addToSlot(sums, slot, count);
}

/** Adds sums without their slots. */
export function addFigures(sums: ValueSums, other: Omit<ValueSums, 'slots'>): void {
  sums.count += other.count;
  sums.sum += other.sum;
  if (other.min < sums.min) sums.min = other.min;
  if (other.max > sums.max) sums.max = other.max;
}

/** The slot of a value. */
export function slotOf(value: number): number {
  if (value === 0) return 0;
  const slot = Math.max(1, Math.ceil((Math.log(Math.abs(value)) - logSmallest) / logGrowth));
  return value < 0 ? -slot : slot;
}

/** Counts values of a slot. */
export function addToSlot({ slots }: ValueSums, slot: number, count: number): void {
  slots.set(slot, (slots.get(slot) ?? 0) + count);
}

/**
 * The value that the share `p` (0..1) of all does not exceed, by nearest rank; undefined if there is none. It is in the
 * slot of that value, so within 2 percent for amounts of at least 1e-9, and never outside of min and max. Values of a
 * slot are taken as evenly spread, because those of a steady series are all in one.
 */
export function valuePercentile({ count, min, max, slots }: ValueSums, p: number): number | undefined {
  if (count === 0) return undefined;
  const rank = Math.min(count, Math.max(1, Math.ceil(count * p)));
  if (rank === 1) return min;
  if (rank === count) return max;
  let before = 0;
  for (const [slot, n] of [...slots].sort(([a], [b]) => a - b)) {
    if (before + n >= rank) {
      const [lower, upper] = boundsOf(slot);
      const [low, high] = [Math.max(min, lower), Math.min(max, upper)];
      return low + (high - low) * (n === 1 ? 0.5 : (rank - before - 1) / (n - 1));
    }
    before += n;
  }
  return max;
}

/** The lower and the upper bound of a slot. */
function boundsOf(slot: number): readonly [number, number] {
  if (slot === 0) return [0, 0];
  const high = Math.exp(Math.abs(slot) * logGrowth + logSmallest);
  const low = Math.abs(slot) === 1 ? 0 : high / growth;
  return slot < 0 ? [-high, -low] : [low, high];
}
