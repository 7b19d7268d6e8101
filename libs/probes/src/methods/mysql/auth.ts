import { constants, createHash, publicEncrypt } from 'node:crypto';

/** `mysql_native_password`: SHA1(password) XOR SHA1(nonce + SHA1(SHA1(password))); nothing for an empty password. */
export function nativeScramble(password: string, nonce: Buffer): Buffer {
  if (password === '') return Buffer.alloc(0);
  const once = digest('sha1', Buffer.from(password));
  return xor(once, digest('sha1', nonce, digest('sha1', once)));
}

/**
 * `caching_sha2_password`: SHA256(password) XOR SHA256(SHA256(SHA256(password)) + nonce); nothing for an empty
 * password.
 */
export function cachingSha2Scramble(password: string, nonce: Buffer): Buffer {
  if (password === '') return Buffer.alloc(0);
  const once = digest('sha256', Buffer.from(password));
  return xor(once, digest('sha256', digest('sha256', once), nonce));
}

/**
 * The password for the server's RSA key, hidden by the nonce (full authentication of the SHA-2 methods without TLS).
 */
export function rsaPassword(password: string, nonce: Buffer, publicKeyPem: string): Buffer {
  const hidden = xor(Buffer.from(`${password}\0`), nonce);
  return publicEncrypt({ key: publicKeyPem, padding: constants.RSA_PKCS1_OAEP_PADDING }, hidden);
}

function digest(name: string, ...parts: readonly Buffer[]): Buffer {
  const hash = createHash(name);
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function xor(bytes: Buffer, key: Buffer): Buffer {
  return Buffer.from(bytes.map((byte, at) => byte ^ (key[at % key.length] ?? 0)));
}
