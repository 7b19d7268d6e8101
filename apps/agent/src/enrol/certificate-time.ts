import { X509Certificate } from 'node:crypto';

/**
 * A certificate is renewed after this share of its lifetime, plus a random spread so that agents do not renew together.
 */
const renewAfter = { share: 2 / 3, spread: 1 / 12 };

/** Whether a certificate (PEM; empty: there is none) has expired. Pure. */
export function isExpired(certificate: string, nowUs: number): boolean {
  return certificate === '' || nowUs >= timesOf(certificate).toUs;
}

/** Whether a certificate is due for renewal. `jitter`: a number from 0 to 1 that the agent keeps. Pure. */
export function isRenewalDue(certificate: string, nowUs: number, jitter: number): boolean {
  if (certificate === '') return true;
  const { fromUs, toUs } = timesOf(certificate);
  return nowUs >= fromUs + (toUs - fromUs) * (renewAfter.share + renewAfter.spread * jitter);
}

/** The validity of a certificate, microseconds since 1970. */
function timesOf(certificate: string): { readonly fromUs: number; readonly toUs: number } {
  const { validFrom, validTo } = new X509Certificate(certificate);
  return { fromUs: Date.parse(validFrom) * 1000, toUs: Date.parse(validTo) * 1000 };
}
