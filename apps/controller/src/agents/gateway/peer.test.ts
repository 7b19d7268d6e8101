import { createPublicKey, X509Certificate } from 'node:crypto';
import { dayMs, hourMs } from '@vantage/domain';
import { beforeAll, expect, test } from 'vitest';
import { makeAuthority, makeServerKey, type SigningAuthority, signAgent } from '../../server/authority.ts';
import { faultOf } from './peer.ts';

const nowMs = Date.UTC(2030, 0, 1);
let authority: SigningAuthority;
let other: SigningAuthority;
let certificate: X509Certificate;
beforeAll(async () => {
  authority = await makeAuthority(nowMs);
  other = await makeAuthority(nowMs);
  const publicKey = createPublicKey(await makeServerKey()).export({ type: 'spki', format: 'der' });
  const pem = await signAgent(authority, { agentId: 'a1', publicKey, nowMs, toMs: nowMs + 7 * dayMs });
  certificate = new X509Certificate(pem);
});

test.each([
  ['in force by both clocks', undefined, 0, undefined],
  ["over by the machine's clock, which is 60 days ahead", 'CERT_HAS_EXPIRED', hourMs, undefined],
  [
    "not yet in force by the machine's clock, which is 60 days behind",
    'CERT_NOT_YET_VALID',
    hourMs,
    undefined,
  ],
  [
    "over by the controller's clock, though the machine's is 60 days behind",
    undefined,
    8 * dayMs,
    'CERT_HAS_EXPIRED',
  ],
  ['over by both clocks', 'CERT_HAS_EXPIRED', 8 * dayMs, 'CERT_HAS_EXPIRED'],
  ["not yet in force by the controller's clock", undefined, -dayMs, 'CERT_NOT_YET_VALID'],
  ['of nobody that is known', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 0, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
] as const)('a certificate that is %s', (_, finding, laterMs, fault) => {
  const trusted = [other.cert, authority.cert];
  expect(faultOf(certificate, { finding, nowMs: nowMs + laterMs, trusted })).toBe(fault);
});

test('where OpenSSL names the time only, a certificate of another authority is refused all the same', () => {
  for (const trusted of [[], [other.cert]])
    expect(faultOf(certificate, { finding: 'CERT_HAS_EXPIRED', nowMs, trusted })).toBe('CERT_HAS_EXPIRED');
});
