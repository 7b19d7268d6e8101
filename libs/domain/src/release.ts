import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { z } from 'zod';
import { parseJson } from './json.ts';
import { mebibyte } from './units.ts';

/** The processors for which there are parcels, as Debian names them. */
export const parcelArchitectures = ['amd64', 'arm64'] as const;
export type ParcelArchitecture = (typeof parcelArchitectures)[number];

const versionPattern = /^\d{1,6}\.\d{1,6}\.\d{1,6}$/;
const digest = z.string().regex(/^[0-9a-f]{64}$/);
const bytes = z
  .int()
  .min(1)
  .max(1024 * mebibyte);

const statementSchema = z.object({
  version: z.string().regex(versionPattern),
  arch: z.enum(parcelArchitectures),
  size: bytes.describe('Bytes of the parcel.'),
  unpacked: bytes.describe('Bytes of its files.'),
  sha256: digest.describe('Of the parcel.'),
  tree: digest.describe('Of its files, by `treeDigest`.'),
});

/** The statement about a parcel that the release key signs. */
export type ReleaseStatement = z.output<typeof statementSchema>;

const signedSchema = statementSchema.extend({ signature: z.base64().max(200) });

/** Whether a text has the form `1.2.3`. */
export function isVersion(text: string): boolean {
  return versionPattern.test(text);
}

/** Orders two versions by their numbers: below 0 when `a` is older than `b`. */
export function compareVersions(a: string, b: string): number {
  const numbers = (version: string) => version.split('.').map(Number);
  const others = numbers(b);
  return (
    numbers(a)
      .map((number, i) => number - (others[i] ?? 0))
      .find((difference) => difference !== 0) ?? 0
  );
}

/** The signed text. Its first line prevents the use of the signature for anything else. */
function signedText({ version, arch, size, unpacked, sha256, tree }: ReleaseStatement): Buffer {
  return Buffer.from(
    `vantage-agent parcel\nversion ${version}\narch ${arch}\nsize ${size}\nunpacked ${unpacked}\nsha256 ${sha256}\ntree ${tree}\n`,
  );
}

/** Signs a statement with the release key (Ed25519, RFC 8032). The result goes into the file next to the parcel. */
export function signStatement(statement: ReleaseStatement, releaseKey: KeyObject): string {
  const signature = sign(null, signedText(statement), releaseKey).toString('base64');
  return `${JSON.stringify({ ...statementSchema.parse(statement), signature }, undefined, 2)}\n`;
}

/** Reads a statement and verifies its signature; `fault` is the end of a sentence about the statement. */
export function readStatement(
  text: string,
  releaseKey: KeyObject,
):
  | { readonly ok: true; readonly statement: ReleaseStatement }
  | { readonly ok: false; readonly fault: string } {
  const parsed = signedSchema.safeParse(parseJson(text));
  if (!parsed.success) return { ok: false, fault: 'is not a signed statement about a parcel' };
  const { signature, ...statement } = parsed.data;
  if (!verify(null, signedText(statement), releaseKey, Buffer.from(signature, 'base64')))
    return { ok: false, fault: 'is not signed by the release key' };
  return { ok: true, statement };
}

/**
 * The public release key from its line, the base64 of its SubjectPublicKeyInfo (RFC 8410); undefined for other texts.
 */
export function readReleaseKey(line: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(line.trim(), 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}

/** The line of a public release key, as `readReleaseKey` reads it. */
export function releaseKeyLine(publicKey: KeyObject): string {
  return publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
}

export interface ParcelFile {
  /** The path in the parcel. */
  readonly name: string;
  readonly isExecutable: boolean;
  /** Of the content, in hex. */
  readonly sha256: string;
}

/** One digest of all files, in any order. */
export function treeDigest(files: readonly ParcelFile[]): string {
  const lines = files.map(
    ({ name, isExecutable, sha256 }) => `${sha256} ${isExecutable ? 'x' : '-'} ${JSON.stringify(name)}\n`,
  );
  return createHash('sha256').update(lines.sort().join('')).digest('hex');
}
