import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { releaseKeyLine } from '@vantage/domain';

export interface NewReleaseKey {
  readonly private_key: string;
  readonly public_key: string;
  /** The value of VANTAGE_RELEASE_PUBLIC_KEY. */
  readonly line: string;
}

/**
 * Creates a release key (Ed25519): the private key in `file` (PEM, mode 0600), the public key in `file`.pub. Throws
 * where `file` exists.
 */
export function createReleaseKey(file: string): NewReleaseKey {
  if (existsSync(file))
    throw new Error(`${file} exists: a release key is never overwritten; name another file`);
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const line = releaseKeyLine(publicKey);
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' });
  writeFileSync(`${file}.pub`, `${line}\n`, { mode: 0o644 });
  return { private_key: file, public_key: `${file}.pub`, line };
}

/** Throws where the file is not a private release key. */
export function readPrivateKey(file: string): KeyObject {
  const key = createPrivateKey(readFileSync(file));
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error(`${file} is not a release key: "./vantage release-key create FILE" creates one`);
  return key;
}
