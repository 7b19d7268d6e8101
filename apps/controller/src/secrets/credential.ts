import { hash, randomBytes } from 'node:crypto';

/** A new API key or agent token: 256 random bits as 64 hex characters. */
export function newCredential(): string {
  return randomBytes(32).toString('hex');
}

/** The database stores only the SHA-256 of a credential's text. */
export function hashCredential(credential: string): Buffer {
  return hash('sha256', credential, 'buffer');
}
