import { createHash } from 'node:crypto';

const maxKeyLength = 128;

/** The ExternalKey of an identity in the other tool. One that is too long is cut and gets a hash at its end. */
export function keyOf(identity: string): string {
  const key = identity.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  if (key.length <= maxKeyLength) return key === '' ? 'unnamed' : key;
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 12);
  return `${key.slice(0, maxKeyLength - 13).trimEnd()}~${hash}`;
}
