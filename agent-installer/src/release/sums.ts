import { createHash, type KeyObject, sign, verify } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

/** The list of a release's files with their SHA-256, as `sha256sum -c` reads it. */
export const sumsFile = 'SHA256SUMS';
/** Its signature by the release key: the 64 bytes of Ed25519, as `openssl pkeyutl -verify` reads them. */
export const signatureFile = `${sumsFile}.sig`;

/** The content of SHA256SUMS. */
export function sumsOf(digests: ReadonlyMap<string, string>): string {
  return [...digests]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, sha256]) => `${sha256}  ${name}\n`)
    .join('');
}

/** Signs the content of SHA256SUMS. It begins with a digest, so no signature of an agent's package is one of it. */
export function signSums(sums: string, releaseKey: KeyObject): Buffer {
  return sign(null, Buffer.from(sums), releaseKey);
}

/**
 * Verifies the release in a folder: the signature, then each file. Returns one sentence for each fault; none: the
 * release is the one that the key signed.
 */
export async function faultsOfRelease(folder: string, publicKey: KeyObject): Promise<readonly string[]> {
  const present = readdirSync(folder);
  for (const needed of [sumsFile, signatureFile])
    if (!present.includes(needed)) return [`${needed} is missing: this is no signed release`];
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
      faults.push(`${name} was changed: its SHA-256 is not the one that the release key signed`);
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
