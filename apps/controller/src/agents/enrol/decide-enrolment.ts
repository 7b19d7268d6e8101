import { dayUs, minuteUs } from '@vantage/domain';

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

/** How long an answer that was lost can be requested again. */
const repeatUs = 10 * minuteUs;
/** How long a certificate of an agent lasts. */
export const certificateUs = 7 * dayUs;

/** Decides on a token that came with a public key. `row` is the agent of the token; undefined: there is none. Pure. */
export function decideEnrolment(
  row: EnrolmentRow | undefined,
  now: { readonly keyHash: Uint8Array; readonly nowUs: number },
): EnrolmentDecision {
  if (row === undefined) return refuse('unknown');
  if (row.isRevoked) return refuse('revoked');
  const { keyHash, tokenUsedUs, tokenExpiresUs, certificate } = row;
  if (keyHash !== null) {
    const isSame = Buffer.compare(keyHash, now.keyHash) === 0;
    const isRecent = tokenUsedUs !== null && now.nowUs - tokenUsedUs <= repeatUs;
    return isSame && isRecent && certificate !== null ? { kind: 'repeat', certificate } : refuse('used');
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
  const { certificate, certificateEndUs } = row;
  const isFresh = certificateEndUs !== null && certificateEndUs - nowUs > certificateUs / 2;
  return isFresh && certificate !== null ? { kind: 'repeat', certificate } : { kind: 'issue' };
}

function refuse(reason: EnrolmentRefusal): EnrolmentDecision {
  return { kind: 'refuse', reason };
}
