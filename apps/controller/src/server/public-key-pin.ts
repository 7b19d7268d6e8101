import { createHash, createPublicKey } from 'node:crypto';

/**
 * SHA-256 of a public key (SubjectPublicKeyInfo, RFC 7469 section 2.4) of a certificate or key, in base64, for curl.
 */
export function pinOf(key: Parameters<typeof createPublicKey>[0]): string {
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(spki).digest('base64');
}
