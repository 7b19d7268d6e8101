import { createHash, type KeyObject } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { isVersion, type ReleaseStatement, signStatement, treeDigest } from '@vantage/domain';
import { unpackTar } from 'modern-tar';
import { architectures, type HostArchitecture } from './architectures.ts';
import { architectureOf } from './elf.ts';

/** Reads the statement for the signature from the parcel itself. Throws where the file is not a parcel. */
async function describeParcel(parcel: Buffer): Promise<ReleaseStatement> {
  const entries = await unpackTar(gunzipSync(parcel));
  const files = entries.flatMap(({ header, data }) =>
    header.type === 'directory' ? [] : [{ header, data: Buffer.from(data ?? []) }],
  );
  const link = files.find(({ header }) => header.type !== 'file');
  if (link !== undefined) throw new Error(`${link.header.name} is neither a file nor a folder`);
  const contentOf = (name: string) => {
    const found = files.find(({ header }) => header.name === name);
    if (found === undefined) throw new Error(`there is no ${name} in it: did "npm run parcel" build it?`);
    return found.data;
  };
  const version = contentOf('VERSION').toString('utf8').trim();
  if (!isVersion(version)) throw new Error(`its version is ${version}; accepted is for example 1.2.3`);
  const sha256 = (data: Buffer) => createHash('sha256').update(data).digest('hex');
  return {
    version,
    arch: hostArchitecture(contentOf('bin/node')),
    size: parcel.length,
    unpacked: files.reduce((sum, { data }) => sum + data.length, 0),
    sha256: sha256(parcel),
    tree: treeDigest(
      files.map(({ header, data }) => ({
        name: header.name,
        isExecutable: ((header.mode ?? 0) & 0o100) !== 0,
        sha256: sha256(data),
      })),
    ),
  };
}

/** Signs a parcel with the release key. Writes the signed statement to `FILE.sig` and returns it. */
export async function signParcel(file: string, key: KeyObject): Promise<ReleaseStatement> {
  const statement = await describeParcel(readFileSync(file));
  const target = `${file}.sig`;
  writeFileSync(`${target}.new`, signStatement(statement, key));
  renameSync(`${target}.new`, target);
  return statement;
}

function hostArchitecture(program: Buffer): HostArchitecture {
  const arch = architectureOf(program);
  const [name] = Object.entries(architectures).find(([, node]) => node === arch) ?? [];
  if (name === 'amd64' || name === 'arm64') return name;
  throw new Error('its program is for another architecture than amd64 and arm64');
}
