import { expect, test } from 'vitest';
import { agentCertificateUs as certificateUs } from '../../server/agent-certificate-times.ts';
import {
  decideEnrolment,
  decideRenewal,
  type EnrolmentDecision,
  type EnrolmentRow,
} from './decide-enrolment.ts';

const nowUs = 1_800_000_000_000_000;
const minuteUs = 60_000_000;
/** The end of a certificate that begins now. */
const aheadUs = nowUs + certificateUs + 5 * minuteUs;
const own = Uint8Array.of(1);
const other = Uint8Array.of(2);
const plain: EnrolmentRow = {
  agentNo: 1,
  agentId: 'a',
  isRevoked: false,
  tokenExpiresUs: nowUs + minuteUs,
  tokenUsedUs: null,
  keyHash: null,
  certificate: null,
  certificateEndUs: null,
};
const repeat: EnrolmentDecision = { kind: 'repeat', certificate: 'C' };
const shown = (decision: EnrolmentDecision) => (decision.kind === 'refuse' ? decision.reason : decision.kind);
const enrolled = { keyHash: own, certificate: 'C', tokenUsedUs: nowUs - 10 * minuteUs };

test.each<[string, Partial<EnrolmentRow>, string]>([
  ['that waits for its agent', {}, 'issue'],
  ['in its last microsecond', { tokenExpiresUs: nowUs }, 'issue'],
  ['a microsecond later', { tokenExpiresUs: nowUs - 1 }, 'expired'],
  ['of a revoked agent', { isRevoked: true }, 'revoked'],
  ['that this key used ten minutes ago', enrolled, 'repeat'],
  [
    'that this key used a microsecond earlier',
    { ...enrolled, tokenUsedUs: nowUs - 10 * minuteUs - 1 },
    'used',
  ],
  ['that this key used nobody knows when', { ...enrolled, tokenUsedUs: null }, 'used'],
  ['that this key used for a certificate that is gone', { ...enrolled, certificate: null }, 'used'],
  ['that another key used', { ...enrolled, keyHash: other }, 'used'],
  [
    'that this key used for a certificate that a clock two months ahead signed',
    { ...enrolled, tokenUsedUs: nowUs + 86_400 * minuteUs, certificateEndUs: aheadUs + 1 },
    'issue',
  ],
  [
    'that another key used for such a certificate',
    { ...enrolled, keyHash: other, certificateEndUs: aheadUs + 1 },
    'used',
  ],
  ['that this key used, of a revoked agent', { ...enrolled, isRevoked: true }, 'revoked'],
])('a token %s', (_what, row, expected) => {
  const decision = decideEnrolment({ ...plain, ...row }, { keyHash: own, nowUs });
  expect(shown(decision)).toBe(expected);
  if (expected === 'repeat') expect(decision).toEqual(repeat);
});

test.each<[string, Partial<EnrolmentRow>, string]>([
  ['with half of its time left', { certificateEndUs: nowUs + certificateUs / 2 }, 'issue'],
  ['with a microsecond more left', { certificateEndUs: nowUs + certificateUs / 2 + 1 }, 'repeat'],
  ['that begins now', { certificateEndUs: aheadUs }, 'repeat'],
  ['that a clock ahead signed, which begins later', { certificateEndUs: aheadUs + 1 }, 'issue'],
  ['that a clock two months ahead signed', { certificateEndUs: aheadUs + 86_400 * minuteUs }, 'issue'],
  ['that ended months ago', { certificateEndUs: 1 }, 'issue'],
  ['that is gone', { certificateEndUs: nowUs + certificateUs, certificate: null }, 'issue'],
  ['whose end nobody knows', { certificateEndUs: null }, 'issue'],
  ['of a revoked agent', { certificateEndUs: nowUs + certificateUs, isRevoked: true }, 'revoked'],
])('a certificate %s', (_what, row, expected) => {
  const decision = decideRenewal({ ...plain, keyHash: own, certificate: 'C', ...row }, nowUs);
  expect(shown(decision)).toBe(expected);
  if (expected === 'repeat') expect(decision).toEqual(repeat);
});

test('a token or a key that nobody has gets nothing', () => {
  const now = { keyHash: own, nowUs };
  expect([decideEnrolment(undefined, now), decideRenewal(undefined, nowUs)].map(shown)).toEqual([
    'unknown',
    'unknown-key',
  ]);
});
