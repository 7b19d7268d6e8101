import { randomBytes } from 'node:crypto';

/** A new opaque id: 48 lowercase hex characters, 192 random bits. */
export function newId(): string {
  return randomBytes(24).toString('hex');
}

/** Whether a text has the form of an id. No id has another form, so a text of another form needs no lookup. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{48}$/.test(text);
}
