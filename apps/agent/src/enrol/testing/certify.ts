import 'reflect-metadata';
import { createPrivateKey, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A certificate for the key of a request, from this authority (PEM) or one of its own; PEM. */
export async function certify(
  csr: string,
  {
    fromUs,
    toUs,
    authority,
  }: {
    readonly fromUs: number;
    readonly toUs: number;
    readonly authority?: { readonly cert: string; readonly key: string };
  },
): Promise<string> {
  const issuer = authority === undefined ? 'CN=CA' : new x509.X509Certificate(authority.cert).subjectName;
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: '01',
    subject: 'CN=a1',
    issuer,
    signingAlgorithm: algorithm,
    notBefore: new Date(fromUs / 1000),
    notAfter: new Date(toUs / 1000),
    publicKey: new x509.Pkcs10CertificateRequest(csr).publicKey,
    signingKey: await signingKey(authority?.key),
  });
  return certificate.toString('pem');
}

async function signingKey(pem: string | undefined): Promise<webcrypto.CryptoKey> {
  if (pem === undefined)
    return (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])).privateKey;
  const pkcs8 = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' });
  return webcrypto.subtle.importKey('pkcs8', pkcs8, algorithm, true, ['sign']);
}

/** The public key of a request, to compare. */
export function keyOf(csr: string): string {
  return Buffer.from(new x509.Pkcs10CertificateRequest(csr).publicKey.rawData).toString('hex');
}
