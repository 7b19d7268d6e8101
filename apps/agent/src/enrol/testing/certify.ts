import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A certificate for the key of a request, from an authority of its own; PEM. */
export async function certify(
  csr: string,
  { fromUs, toUs }: { readonly fromUs: number; readonly toUs: number },
): Promise<string> {
  const { privateKey } = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: '01',
    subject: 'CN=a1',
    issuer: 'CN=CA',
    signingAlgorithm: algorithm,
    notBefore: new Date(fromUs / 1000),
    notAfter: new Date(toUs / 1000),
    publicKey: new x509.Pkcs10CertificateRequest(csr).publicKey,
    signingKey: privateKey,
  });
  return certificate.toString('pem');
}

/** The public key of a request, to compare. */
export function keyOf(csr: string): string {
  return Buffer.from(new x509.Pkcs10CertificateRequest(csr).publicKey.rawData).toString('hex');
}
