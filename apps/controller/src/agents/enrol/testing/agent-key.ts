import 'reflect-metadata';
import { createPrivateKey, generateKeyPairSync, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A key as an agent makes it, and the request for a certificate of it; PEM. */
export interface AgentKey {
  readonly key: string;
  readonly csr: string;
}

/** Creates a key with its request. */
export async function makeAgentKey(): Promise<AgentKey> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const pkcs8 = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' });
  const signer = await webcrypto.subtle.importKey('pkcs8', pkcs8, algorithm, true, ['sign']);
  const { d: _, ...publicJwk } = await webcrypto.subtle.exportKey('jwk', signer);
  const verifier = await webcrypto.subtle.importKey(
    'jwk',
    { ...publicJwk, key_ops: ['verify'] },
    algorithm,
    true,
    ['verify'],
  );
  const csr = await x509.Pkcs10CertificateRequestGenerator.create({
    name: 'CN=agent',
    keys: { privateKey: signer, publicKey: verifier },
    signingAlgorithm: algorithm,
  });
  return { key, csr: csr.toString('pem') };
}
