import { dayUs } from '@vantage/domain';

/** The last announcement about the certificate of a device. Null: none, it is valid for long. Plain JSON. */
export interface CertificateExpiry {
  /** Microseconds since 1970. */
  readonly notAfterUs: number;
  /** The least of `expiryDays` that was announced. */
  readonly days: number;
  /** Checks in a row that found a certificate with a later end. */
  readonly laterInRow: number;
}

/** An event announces when so many days are left. */
export const expiryDays = [30, 14, 7, 3, 1] as const;

/**
 * So many checks in a row with a later end mean that the certificate was renewed, and not that one of several servers
 * has another one.
 */
const renewedAfter = 3;

/*
 *   said before            | the check finds                              | next
 *   nothing                | more than 30 days left                       | nothing
 *   nothing                | fewer days left                              | announced with the least of expiryDays that holds
 *   announced at `days`    | the same or an earlier end, a lesser number  | announced again
 *   announced at `days`    | the same or an earlier end                   | as it was
 *   announced at `days`    | a later end, for the third time in a row     | renewed: as if nothing had been said
 *   announced at `days`    | a later end                                  | counted
 */

/** The state after a check that found a certificate, and the number of days to announce now (null: none). Pure. */
export function stepCertificate(
  before: CertificateExpiry | null,
  found: { readonly notAfterUs: number; readonly nowUs: number },
): { readonly after: CertificateExpiry | null; readonly announces: number | null } {
  const { notAfterUs, nowUs } = found;
  const leftUs = notAfterUs - nowUs;
  const days = expiryDays.findLast((limit) => leftUs <= limit * dayUs) ?? null;
  if (before !== null && notAfterUs > before.notAfterUs && before.laterInRow + 1 < renewedAfter)
    return { after: { ...before, laterInRow: before.laterInRow + 1 }, announces: null };
  const said = before === null || notAfterUs > before.notAfterUs ? null : before.days;
  if (days === null) return { after: null, announces: null };
  if (said === null || days < said) return { after: { notAfterUs, days, laterInRow: 0 }, announces: days };
  if (before?.notAfterUs === notAfterUs && before.laterInRow === 0) return { after: before, announces: null };
  return { after: { notAfterUs, days: said, laterInRow: 0 }, announces: null };
}
