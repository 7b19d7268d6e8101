import { dayUs } from '@vantage/domain';

/** The last announcement about the certificate or the domain of a device. Null: there is none. Plain JSON. */
export interface Expiry {
  /** Microseconds since 1970. */
  readonly notAfterUs: number;
  /** The smallest number of days that was announced. */
  readonly days: number;
  /** Consecutive checks that found a later end. */
  readonly laterInRow: number;
}

/**
 * After this number of consecutive checks with a later end, it counts as renewed. Fewer checks may come from one of
 * several servers with different certificates.
 */
const renewedAfter = 3;

/*
 *   announced before       | the check finds                              | next
 *   nothing                | more days left than any warning              | nothing
 *   nothing                | fewer days left                              | announced with the smallest number of days that fits
 *   announced at `days`    | the same or an earlier end, a smaller number | announced again
 *   announced at `days`    | the same or an earlier end                   | unchanged
 *   announced at `days`    | a later end, for the third time in a row     | renewed: as if nothing had been announced
 *   announced at `days`    | a later end                                  | counted
 */

/**
 * The state after a check that found the end of a certificate or domain, and the number of days to announce now. An
 * event is due when one of the numbers in `warningDays` (falling) is left. Pure.
 */
export function stepExpiry(
  before: Expiry | null,
  found: { readonly notAfterUs: number; readonly nowUs: number; readonly warningDays: readonly number[] },
): { readonly after: Expiry | null; readonly announces: number | null } {
  const { notAfterUs, nowUs, warningDays } = found;
  const leftUs = notAfterUs - nowUs;
  const days = warningDays.findLast((limit) => leftUs <= limit * dayUs) ?? null;
  if (before !== null && notAfterUs > before.notAfterUs && before.laterInRow + 1 < renewedAfter)
    return { after: { ...before, laterInRow: before.laterInRow + 1 }, announces: null };
  const announced = before === null || notAfterUs > before.notAfterUs ? null : before.days;
  if (days === null) return { after: null, announces: null };
  if (announced === null || days < announced)
    return { after: { notAfterUs, days, laterInRow: 0 }, announces: days };
  if (before?.notAfterUs === notAfterUs && before.laterInRow === 0) return { after: before, announces: null };
  return { after: { notAfterUs, days: announced, laterInRow: 0 }, announces: null };
}
