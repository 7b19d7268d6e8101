import { X509Certificate } from 'node:crypto';
import { dayMs } from '@vantage/domain';

/** The validity of a chain of certificates, microseconds since 1970. */
export interface CertificateValidity {
  readonly fromUs: number;
  readonly toUs: number;
}

/** `near`: the certificates end soon, and should have been renewed. `early`: they are not valid yet. */
export type CertificateState = 'good' | 'near' | 'ended' | 'early';

/**
 * Certificates of public authorities are renewed a month before their end; two weeks before, the renewal has failed.
 */
const nearUs = 14 * dayMs * 1000;
/** Certificates of a few days are renewed later. */
const nearShare = 0.25;

/** The time in which all certificates of a PEM text are valid. Throws for a text without a certificate. */
export function validityOf(pem: string): CertificateValidity {
  const texts = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [pem];
  const all = texts.map((text) => new X509Certificate(text));
  return {
    fromUs: Math.max(...all.map(({ validFrom }) => Date.parse(validFrom))) * 1000,
    toUs: Math.min(...all.map(({ validTo }) => Date.parse(validTo))) * 1000,
  };
}

/** The state at a time, microseconds since 1970. Pure. */
export function certificateState({ fromUs, toUs }: CertificateValidity, nowUs: number): CertificateState {
  if (nowUs >= toUs) return 'ended';
  if (nowUs < fromUs) return 'early';
  return toUs - nowUs < Math.min(nearUs, (toUs - fromUs) * nearShare) ? 'near' : 'good';
}

/** The problem, for people; undefined: none. */
export function certificateProblem(validity: CertificateValidity, nowUs: number): string | undefined {
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
