import { createPrivateKey, createPublicKey, webcrypto } from 'node:crypto';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A certificate signing request (PKCS#10, RFC 2986) for a key of P-256; both are PEM. The name in it says nothing: the controller gives the name. */
export async function makeSigningRequest(key: string): Promise<string> {
  // Loaded for the few requests of a week only.
  await import('reflect-metadata');
  const { Pkcs10CertificateRequestGenerator } = await import('@peculiar/x509');
  const { subtle } = webcrypto;
  const pkcs8 = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' });
  const spki = createPublicKey(createPrivateKey(key)).export({ type: 'spki', format: 'der' });
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: 'CN=vantage-agent',
    keys: {
      privateKey: await subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']),
      publicKey: await subtle.importKey('spki', spki, algorithm, true, ['verify']),
    },
    signingAlgorithm: algorithm,
  });
  return request.toString('pem');
}
