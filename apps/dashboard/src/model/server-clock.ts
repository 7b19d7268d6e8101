/** The times of a request by the browser's clock, and the header `Date` of its answer; milliseconds since 1970. */
export interface TimedAnswer {
  readonly sentMs: number;
  readonly receivedMs: number;
  /** Whole seconds. */
  readonly dateMs: number;
}

/**
 * The offset of the server's clock from the browser's, after another answer. The answer was written between sending and
 * receiving, within the second that `Date` names. The previous value moves only as far as that requires, so a correct
 * offset does not change.
 */
export function correctedOffset(before: number, { sentMs, receivedMs, dateMs }: TimedAnswer): number {
  const min = dateMs - receivedMs;
  const max = dateMs + 1_000 - sentMs;
  return Math.min(Math.max(before, min), max);
}
