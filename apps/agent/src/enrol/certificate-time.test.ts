import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { isExpired, isRenewalDue } from './certificate-time.ts';
import { makeSigningRequest } from './encode-signing-request.ts';
import { certify } from './testing/certify.ts';

const dayUs = 86_400_000_000;
const fromUs = Date.UTC(2026, 0, 1) * 1000;

test('a certificate is over at its end, and due after two thirds of its time and up to a twelfth later', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const csr = makeSigningRequest(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  const certificate = await certify(csr, { fromUs, toUs: fromUs + 12 * dayUs });
  const edge = (atUs: number) => [fromUs + atUs - 1, fromUs + atUs];
  expect(edge(12 * dayUs).map((nowUs) => isExpired(certificate, nowUs))).toEqual([false, true]);
  expect(edge(8 * dayUs).map((nowUs) => isRenewalDue(certificate, nowUs, 0))).toEqual([false, true]);
  expect(edge(8.5 * dayUs).map((nowUs) => isRenewalDue(certificate, nowUs, 0.5))).toEqual([false, true]);
  expect([isExpired('', fromUs), isRenewalDue('', fromUs, 0)]).toEqual([true, true]);
});
