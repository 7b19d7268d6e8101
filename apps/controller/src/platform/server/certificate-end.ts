import { X509Certificate } from 'node:crypto';
import { dayMs } from '@vantage/domain';

/** From when to when a chain of certificates holds, microseconds since 1970. */
export interface Validity {
  readonly fromUs: number;
  readonly toUs: number;
}

/** Whether certificates hold. `near`: whoever renews them should have done so. */
export type CertificateState = 'good' | 'near' | 'ended' | 'early';

/**
 * A certificate of a public authority is renewed a month before its end; with two weeks left the renewal does not work.
 */
const nearUs = 14 * dayMs * 1000;
/** Certificates of some days are renewed later. */
const nearShare = 0.25;

/** The certificates of a PEM text hold while all of them do. Throws for a text without a certificate. */
export function validityOf(pem: string): Validity {
  const texts = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [pem];
  const all = texts.map((text) => new X509Certificate(text));
  return {
    fromUs: Math.max(...all.map(({ validFrom }) => Date.parse(validFrom))) * 1000,
    toUs: Math.min(...all.map(({ validTo }) => Date.parse(validTo))) * 1000,
  };
}

/** The state at a time, microseconds since 1970. Pure. */
export function certificateState({ fromUs, toUs }: Validity, nowUs: number): CertificateState {
  if (nowUs >= toUs) return 'ended';
  if (nowUs < fromUs) return 'early';
  return toUs - nowUs < Math.min(nearUs, (toUs - fromUs) * nearShare) ? 'near' : 'good';
}

/** The fault, for people; undefined: none. */
export function certificateProblem(validity: Validity, nowUs: number): string | undefined {
  const day = (us: number) => new Date(us / 1000).toISOString().slice(0, 16).replace('T', ' ').concat(' UTC');
  switch (certificateState(validity, nowUs)) {
    case 'good':
      return undefined;
    case 'near':
      return `the certificate of the REST port ends on ${day(validity.toUs)}`;
    case 'ended':
      return `the certificate of the REST port ended on ${day(validity.toUs)}: clients refuse it`;
    case 'early':
      return `the certificate of the REST port begins on ${day(validity.fromUs)}: clients refuse it until then`;
  }
}
