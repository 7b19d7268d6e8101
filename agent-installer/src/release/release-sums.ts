import { createHash, type KeyObject, sign, verify } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

/** The SHA-256 of each file of a release, for `sha256sum -c`. */
export const sumsFile = 'SHA256SUMS';
/** The signature of SHA256SUMS by the release key: 64 bytes of Ed25519, for `openssl pkeyutl -verify`. */
export const signatureFile = `${sumsFile}.sig`;

/** The content of SHA256SUMS. */
export function sumsOf(digests: ReadonlyMap<string, string>): string {
  return [...digests]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, sha256]) => `${sha256}  ${name}\n`)
    .join('');
}

/**
 * Signs the content of SHA256SUMS. It begins with a digest, so it cannot be mistaken for a statement about a parcel.
 */
export function signSums(sums: string, releaseKey: KeyObject): Buffer {
  return sign(null, Buffer.from(sums), releaseKey);
}

/**
 * Verifies the release in a folder: the signature, then each file. Returns a sentence for each fault; none where the
 * release is complete and signed by the key.
 */
export async function faultsOfRelease(folder: string, publicKey: KeyObject): Promise<readonly string[]> {
  const present = readdirSync(folder);
  for (const file of [sumsFile, signatureFile])
    if (!present.includes(file)) return [`${file} is missing: this is not a signed release`];
  const sums = readFileSync(path.join(folder, sumsFile));
  if (!verify(null, sums, publicKey, readFileSync(path.join(folder, signatureFile))))
    return [`${sumsFile} is not signed by this release key: trust none of the files`];
  const listed = new Map(
    [...sums.toString('utf8').matchAll(/^([0-9a-f]{64}) {2}([^/\n]+)$/gm)].map(
      ([, sha256 = '', name = '']) => [name, sha256],
    ),
  );
  const faults: string[] = [];
  for (const [name, sha256] of listed) {
    if (!present.includes(name)) faults.push(`${name} is missing`);
    else if ((await digestOf(path.join(folder, name))) !== sha256)
      faults.push(`${name} was changed: its SHA-256 differs from the signed one`);
  }
  for (const name of present)
    if (!listed.has(name) && name !== sumsFile && name !== signatureFile)
      faults.push(`${name} is not a file of this release`);
  return faults;
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
