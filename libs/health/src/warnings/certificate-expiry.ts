import { dayUs } from '@vantage/domain';

/** The last announcement about the certificate of a device. Null: there is none. Plain JSON. */
export interface CertificateExpiry {
  /** Microseconds since 1970. */
  readonly notAfterUs: number;
  /** The smallest of `expiryDays` that was announced. */
  readonly days: number;
  /** Consecutive checks that found a certificate with a later end. */
  readonly laterInRow: number;
}

/** An event is due when this number of days is left. */
export const expiryDays = [30, 14, 7, 3, 1] as const;

/**
 * After this number of consecutive checks with a later end, the certificate counts as renewed. Fewer checks may come
 * from one of several servers with different certificates.
 */
const renewedAfter = 3;

/*
 *   announced before       | the check finds                              | next
 *   nothing                | more than 30 days left                       | nothing
 *   nothing                | fewer days left                              | announced with the smallest matching expiryDays
 *   announced at `days`    | the same or an earlier end, a smaller number | announced again
 *   announced at `days`    | the same or an earlier end                   | unchanged
 *   announced at `days`    | a later end, for the third time in a row     | renewed: as if nothing had been announced
 *   announced at `days`    | a later end                                  | counted
 */

/** The state after a check that found a certificate, and the number of days to announce now. Pure. */
export function stepCertificate(
  before: CertificateExpiry | null,
  found: { readonly notAfterUs: number; readonly nowUs: number },
): { readonly after: CertificateExpiry | null; readonly announces: number | null } {
  const { notAfterUs, nowUs } = found;
  const leftUs = notAfterUs - nowUs;
  const days = expiryDays.findLast((limit) => leftUs <= limit * dayUs) ?? null;
  if (before !== null && notAfterUs > before.notAfterUs && before.laterInRow + 1 < renewedAfter)
    return { after: { ...before, laterInRow: before.laterInRow + 1 }, announces: null };
  const announced = before === null || notAfterUs > before.notAfterUs ? null : before.days;
  if (days === null) return { after: null, announces: null };
  if (announced === null || days < announced)
    return { after: { notAfterUs, days, laterInRow: 0 }, announces: days };
  if (before?.notAfterUs === notAfterUs && before.laterInRow === 0) return { after: before, announces: null };
  return { after: { notAfterUs, days: announced, laterInRow: 0 }, announces: null };
}
