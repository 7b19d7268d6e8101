import { hash, type KeyObject, randomBytes } from 'node:crypto';

/** A new API key or agent token: 256 random bits as 64 hex characters. */
export function newCredential(): string {
  return randomBytes(32).toString('hex');
}

/** The database stores only the SHA-256 of a credential's text. */
export function hashCredential(credential: string): Buffer {
  return hash('sha256', credential, 'buffer');
}

/** The SHA-256 by which the controller knows a public key (SubjectPublicKeyInfo, DER). */
export function hashPublicKey(key: KeyObject): Buffer {
  return hash('sha256', key.export({ type: 'spki', format: 'der' }), 'buffer');
}
