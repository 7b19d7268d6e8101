import { randomBytes } from 'node:crypto';

/** A new opaque id: 48 lowercase hex characters, 192 random bits. */
export function newId(): string {
  return randomBytes(24).toString('hex');
}
