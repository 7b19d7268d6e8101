import 'reflect-metadata';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { Pkcs10CertificateRequest } from '@peculiar/x509';
import { expect, test } from 'vitest';
import { makeSigningRequest } from './encode-signing-request.ts';

test('the library of the controller reads the request, with the key and a signature that is right', async () => {
  for (let n = 0; n < 50; n += 1) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = makeSigningRequest(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    const request = new Pkcs10CertificateRequest(pem);
    expect(await request.verify()).toBe(true);
    expect(request.subject).toBe('CN=vantage-agent');
    expect(Buffer.from(request.publicKey.rawData)).toEqual(
      createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    );
  }
});

test('another signature does not fit', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = makeSigningRequest(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  const bytes = Buffer.from(pem.replaceAll(/-----[^-]+-----|\n/g, ''), 'base64');
  bytes.set([(bytes.at(-1) ?? 0) ^ 1], bytes.length - 1);
  expect(await new Pkcs10CertificateRequest(bytes).verify().catch(() => false)).toBe(false);
});
