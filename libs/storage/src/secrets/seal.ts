import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { Fault } from '@vantage/kernel';

/** A value that can be sealed: any value of JSON. */
export type SealedJson =
  | string
  | number
  | boolean
  | null
  | readonly SealedJson[]
  | { readonly [key: string]: SealedJson };

/** Encrypts values at rest. `context` names the row (`device:<device_id>`); a value opens only with its context. */
export interface Sealer {
  seal(value: SealedJson, context: string): Buffer;
  /** Throws a Fault (`drop`) when the key or the context differs, or the bytes were changed. */
  open(sealed: Uint8Array, context: string): unknown;
  /** Whether the current key sealed this value, not an older one. */
  isCurrent(sealed: Uint8Array): boolean;
  /** Keys of 32 bytes for another purpose, the current one first. They reveal nothing about the sealing keys. */
  deriveKeys(purpose: string): readonly Uint8Array[];
}

export const sealKeyBytes = 32;

const nonceBytes = 12;
const tagBytes = 16;
const algorithm = 'aes-256-gcm';

/**
 * Creates a sealer: AES-256-GCM (NIST SP 800-38D) with a random 96-bit nonce, the context as additional data. A sealed
 * value is the id byte of its key, the nonce, the ciphertext and the tag. `olderKeys` open the values that they sealed,
 * so that the operator can change the key.
 */
export function createSealer(key: Uint8Array, olderKeys: readonly Uint8Array[] = []): Sealer {
  const keys = [key, ...olderKeys];
  if (keys.some(({ length }) => length !== sealKeyBytes))
    throw new Fault('stop', 'bad-seal-key', `a sealing key must have ${sealKeyBytes} bytes`);
  const ids = keys.map(keyId);
  // Creating a cipher takes 5 microseconds with a KeyObject, and 14 with bytes.
  const secretKey = createSecretKey(key);
  const secretKeys = [secretKey, ...olderKeys.map((older) => createSecretKey(older))];
  const [id = 0] = ids;
  if (new Set(ids).size < keys.length)
    throw new Fault(
      'stop',
      'bad-seal-key',
      'the hashes of two sealing keys start with the same byte: create another new key',
    );
  return {
    seal(value, context) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, secretKey, nonce, { authTagLength: tagBytes });
      cipher.setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.of(id), nonce, body, cipher.getAuthTag()]);
    },
    open(sealed, context) {
      const text = secretKeys
        .filter((_, at) => ids[at] === sealed[0])
        .map((keyOfValue) => decrypt(keyOfValue, sealed, context))
        .find((opened) => opened !== undefined);
      if (text === undefined)
        throw new Fault(
          'drop',
          'sealed',
          `cannot open the sealed value of ${context}: is the key file the right one?`,
        );
      return JSON.parse(text);
    },
    isCurrent: (sealed) => sealed[0] === id,
    // RFC 5869; the sealing key is random, so no salt is needed.
    deriveKeys: (purpose) =>
      keys.map((input) => new Uint8Array(hkdfSync('sha256', input, '', `vantage ${purpose}`, sealKeyBytes))),
  };
}

/** The first byte of a sealed value, which identifies its key. */
function keyId(key: Uint8Array): number {
  return createHash('sha256').update('vantage seal key id').update(key).digest()[0] ?? 0;
}

function decrypt(key: KeyObject, sealed: Uint8Array, context: string): string | undefined {
  if (sealed.length < 1 + nonceBytes + tagBytes) return undefined;
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length);
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(1, 1 + nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const body = decipher.update(bytes.subarray(1 + nonceBytes, -tagBytes));
    return Buffer.concat([body, decipher.final()]).toString('utf8');
  } catch {
    return undefined; // the tag differs: another key, another context or changed bytes
  }
}
