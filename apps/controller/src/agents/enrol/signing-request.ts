import 'reflect-metadata';
import { createPublicKey, type KeyObject } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { hashPublicKey } from '@vantage/storage/secrets/credential';

/** A certificate signing request (PKCS#10, RFC 2986) whose signature was not verified yet. */
export interface SigningRequest {
  /** SHA-256 of the public key (SubjectPublicKeyInfo, DER). */
  readonly keyHash: Buffer;
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Buffer;
  /** Whether the sender has the private key. */
  verify(): Promise<boolean>;
}

const curves = new Set(['prime256v1', 'secp384r1']);

/** Reads a request in PEM; a text for people when it is none, or has a key that is not accepted. Costs no signature. */
export function readSigningRequest(pem: string): SigningRequest | string {
  let request: x509.Pkcs10CertificateRequest;
  let key: KeyObject;
  try {
    request = new x509.Pkcs10CertificateRequest(pem);
    key = createPublicKey({ key: Buffer.from(request.publicKey.rawData), format: 'der', type: 'spki' });
  } catch {
    return 'CSR must be a certificate signing request (PKCS#10) in PEM, which begins with -----BEGIN CERTIFICATE REQUEST-----';
  }
  const fault = keyFault(key);
  if (fault !== undefined) return fault;
  return {
    keyHash: hashPublicKey(key),
    publicKey: key.export({ type: 'spki', format: 'der' }),
    verify: () => request.verify().catch(() => false),
  };
}

/** Keys whose use costs little time. */
function keyFault({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): string | undefined {
  const isAccepted =
    type === 'ed25519' ||
    (type === 'ec' && curves.has(details?.namedCurve ?? '')) ||
    (type === 'rsa' && [2048, 3072, 4096].includes(details?.modulusLength ?? 0));
  return isAccepted
    ? undefined
    : 'The key of the CSR must be of type EC (P-256 or P-384), Ed25519 or RSA (2048, 3072 or 4096 bits)';
}
