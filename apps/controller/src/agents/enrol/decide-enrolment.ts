import { minuteUs } from '@vantage/domain';
import { agentCertificateEarlierUs, agentCertificateUs } from '../../server/agent-certificate-times.ts';

/** The row of an agent, as enrolment reads it. Times are microseconds since 1970. */
export interface EnrolmentRow {
  readonly agentNo: number;
  readonly agentId: string;
  readonly isRevoked: boolean;
  readonly tokenExpiresUs: number;
  readonly tokenUsedUs: number | null;
  /** SHA-256 of the public key; null: it has not enrolled. */
  readonly keyHash: Uint8Array | null;
  /** The newest certificate, PEM. */
  readonly certificate: string | null;
  readonly certificateEndUs: number | null;
}

/** Why an agent gets no certificate. */
export type EnrolmentRefusal = 'unknown' | 'revoked' | 'expired' | 'used' | 'unknown-key';

/** The decision about a request: a new certificate, the one that the agent has already, or none. */
export type EnrolmentDecision =
  | { readonly kind: 'issue' }
  | { readonly kind: 'repeat'; readonly certificate: string }
  | { readonly kind: 'refuse'; readonly reason: EnrolmentRefusal };

/** A lost answer can be requested again for this long. */
const repeatUs = 10 * minuteUs;

/*
 *   the certificate ends in                    | it is
 *   unknown, or half of its time or less       | old: a renewal gets a new one
 *   more than half of its time                 | in force: a lost answer is repeated
 *   more than its time and five minutes        | not in force yet: a clock that was ahead signed it
 */
type CertificateAge = 'old' | 'in force' | 'not in force yet';

function ageOf({ certificate, certificateEndUs }: EnrolmentRow, nowUs: number): CertificateAge {
  if (certificate === null || certificateEndUs === null) return 'old';
  const leftUs = certificateEndUs - nowUs;
  if (leftUs > agentCertificateUs + agentCertificateEarlierUs) return 'not in force yet';
  return leftUs > agentCertificateUs / 2 ? 'in force' : 'old';
}

/**
 * Decides on a token that came with a public key. `row` is the agent of the token; undefined: there is none. A
 * certificate that is not in force yet is replaced for its own key, which could renew it without a token, too. Pure.
 */
export function decideEnrolment(
  row: EnrolmentRow | undefined,
  now: { readonly keyHash: Uint8Array; readonly nowUs: number },
): EnrolmentDecision {
  if (row === undefined) return refuse('unknown');
  if (row.isRevoked) return refuse('revoked');
  const { keyHash, tokenUsedUs, tokenExpiresUs, certificate } = row;
  if (keyHash !== null) {
    if (Buffer.compare(keyHash, now.keyHash) !== 0) return refuse('used');
    if (ageOf(row, now.nowUs) === 'not in force yet') return { kind: 'issue' };
    const isRecent = tokenUsedUs !== null && now.nowUs - tokenUsedUs <= repeatUs;
    return isRecent && certificate !== null ? { kind: 'repeat', certificate } : refuse('used');
  }
  return now.nowUs > tokenExpiresUs ? refuse('expired') : { kind: 'issue' };
}

/**
 * Decides on a renewal. `row` is the agent of the public key; undefined: there is none. An agent that was away for
 * months gets a new certificate too, because the key proves who it is. Pure.
 */
export function decideRenewal(row: EnrolmentRow | undefined, nowUs: number): EnrolmentDecision {
  if (row === undefined) return refuse('unknown-key');
  if (row.isRevoked) return refuse('revoked');
  const { certificate } = row;
  return certificate !== null && ageOf(row, nowUs) === 'in force'
    ? { kind: 'repeat', certificate }
    : { kind: 'issue' };
}

function refuse(reason: EnrolmentRefusal): EnrolmentDecision {
  return { kind: 'refuse', reason };
}
