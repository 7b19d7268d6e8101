/** A request and what the header `Date` of its answer says; milliseconds since 1970, the first two by the browser. */
export interface TimedAnswer {
  readonly sentMs: number;
  readonly receivedMs: number;
  /** Whole seconds. */
  readonly dateMs: number;
}

/**
 * How far the server's clock is ahead of the browser's, after another answer. The answer was written between sending
 * and receiving, within the second that `Date` names; the former value moves only as far as this asks, so a right clock
 * stays as it is.
 */
export function correctedOffset(before: number, { sentMs, receivedMs, dateMs }: TimedAnswer): number {
  const least = dateMs - receivedMs;
  const greatest = dateMs + 1_000 - sentMs;
  return Math.min(Math.max(before, least), greatest);
}
