import { randomBytes, scryptSync } from 'node:crypto';

/** The text that is stored for a password, by a hash that costs next to nothing: for tests that sign in often. */
export function hashCheaply(password: string): string {
  const salt = randomBytes(16);
  const hash = scryptSync(password, salt, 32, { N: 2, r: 1, p: 1 });
  return ['scrypt', 2, 1, 1, salt.toString('base64url'), hash.toString('base64url')].join('$');
}
