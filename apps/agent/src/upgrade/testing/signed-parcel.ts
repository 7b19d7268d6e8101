import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type ReleaseStatement, releaseKeyLine, signStatement, treeDigest } from '@vantage/domain';
import { packTar } from 'modern-tar';

/** A release key of a test. */
export interface TestReleaseKey {
  readonly privateKey: KeyObject;
  readonly line: string;
}

/** Creates a release key. */
export function makeReleaseKey(): TestReleaseKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { privateKey, line: releaseKeyLine(publicKey) };
}

/** A fixed time, so that equal files make equal parcels: gzip's length depends on the digits of the time. */
const mtime = new Date(0);

/**
 * A small parcel and its signed statement. Its program is a shell script that answers `--version` with the status
 * `runs`.
 */
export async function makeParcel(
  { privateKey }: TestReleaseKey,
  {
    version,
    runs = 0,
    change = {},
  }: { readonly version: string; readonly runs?: number; readonly change?: Partial<ReleaseStatement> },
): Promise<{ readonly parcel: Buffer; readonly signed: string }> {
  const contents: Readonly<Record<string, string>> = {
    'bin/node': `#!/bin/sh\nexit ${runs}\n`,
    'lib/agent.mjs': `// ${version}\n`,
    VERSION: `${version}\n`,
  };
  const files = Object.entries(contents).map(([name, text]) => ({
    name,
    text,
    isExecutable: name === 'bin/node',
  }));
  const parcel = gzipSync(
    await packTar(
      files.map(({ name, text, isExecutable }) => ({
        header: { name, size: text.length, mode: isExecutable ? 0o755 : 0o644, type: 'file' as const, mtime },
        body: text,
      })),
    ),
  );
  const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest('hex');
  const statement: ReleaseStatement = {
    version,
    arch: 'amd64',
    size: parcel.length,
    sha256: sha256(parcel),
    unpacked: files.reduce((sum, { text }) => sum + text.length, 0),
    tree: treeDigest(
      files.map(({ name, text, isExecutable }) => ({ name, isExecutable, sha256: sha256(text) })),
    ),
    ...change,
  };
  return { parcel, signed: signStatement(statement, privateKey) };
}
