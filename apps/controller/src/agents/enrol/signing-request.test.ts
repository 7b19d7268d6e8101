import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { expect, test } from 'vitest';
import { readSigningRequest } from './signing-request.ts';

/** A request for a fresh key of this kind; PEM. */
async function requestFor(
  algorithm: webcrypto.EcKeyGenParams | webcrypto.RsaHashedKeyGenParams | webcrypto.Algorithm,
): Promise<string> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  if (!('privateKey' in keys)) throw new Error('no pair of keys');
  const signingAlgorithm = { hash: 'SHA-256', ...algorithm };
  const made = await x509.Pkcs10CertificateRequestGenerator.create({
    name: 'CN=agent',
    keys,
    signingAlgorithm,
  });
  return made.toString('pem');
}
const rsa = (modulusLength: number) => ({
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength,
  publicExponent: new Uint8Array([1, 0, 1]),
});
const ec = (namedCurve: string) => ({ name: 'ECDSA', namedCurve });

test.each([
  ['P-256', ec('P-256'), true],
  ['P-384', ec('P-384'), true],
  ['P-521', ec('P-521'), false],
  ['Ed25519', { name: 'Ed25519' }, true],
  ['RSA of 2048 bits', rsa(2048), true],
  ['RSA of 1024 bits', rsa(1024), false],
  ['RSA of 2056 bits', rsa(2056), false],
])('a key of %s is accepted, or not', async (_what, algorithm, isAccepted) => {
  const read = readSigningRequest(await requestFor(algorithm));
  if (!isAccepted) return expect(read).toMatch(/^The key of the CSR must be of type EC/);
  if (typeof read === 'string') return expect.fail(read);
  expect([read.keyHash.length, await read.verify()]).toEqual([32, true]);
});

test('a request with another signature, of whatever form, is not the one of its key', async () => {
  const der = Buffer.from((await requestFor(ec('P-256'))).replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
  for (let back = 1; back <= 64; back += 1) {
    const bytes = Buffer.from(der);
    bytes.writeUInt8(bytes.readUInt8(der.length - back) ^ 1, der.length - back);
    const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
    const read = readSigningRequest(pem);
    expect(typeof read === 'string' || (await read.verify())).not.toBe(true);
  }
});
