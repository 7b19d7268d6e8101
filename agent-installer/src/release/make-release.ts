import { createHash, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { productVersion as version } from '@vantage/domain';
import { packDeb } from '../agent-deb.ts';
import { architectures, type HostArchitecture } from '../architectures.ts';
import { packControllerDeb } from '../controller/controller-deb.ts';
import { controllerTree } from '../controller/controller-tree.ts';
import { packArchive } from '../pack-archive.ts';
import { parcelTree } from '../parcel-tree.ts';
import { root } from '../root.ts';
import { signParcel } from '../sign-parcel.ts';
import { imageContext } from './image-context.ts';
import { releaseContents } from './release-contents.ts';
import { releaseNotes } from './release-notes.ts';
import { signatureFile, signSums, sumsFile, sumsOf } from './release-sums.ts';

export interface ReleasePlan {
  /** The folder for the release. It must not exist yet. */
  readonly folder: string;
  readonly archs: readonly HostArchitecture[];
  /** The private release key; undefined: nothing is signed. */
  readonly key: KeyObject | undefined;
  readonly level?: number | undefined;
  readonly say: (text: string) => void;
}

/**
 * Writes all files of a release: packages of agent and controller for each architecture, the build context of the
 * images, SBOM, licences, notes, SHA256SUMS and, with a key, signatures. The same sources, packages and key give the
 * same bytes. The folder appears only when it is complete.
 */
export async function makeRelease({ folder, archs, key, level, say }: ReleasePlan): Promise<void> {
  if (existsSync(folder))
    throw new Error(`${folder} exists: a release is never overwritten; name another folder`);
  mkdirSync(path.dirname(folder), { recursive: true });
  const temporary = mkdtempSync(`${folder}.part-`);
  const parcels = mkdtempSync(path.join(tmpdir(), 'vantage-parcels-'));
  const sums = new Map<string, string>();
  const add = (name: string, data: Buffer | string) => {
    writeFileSync(path.join(temporary, name), data, { mode: 0o644 });
    sums.set(name, digestOf(data));
    say(`${name}: ${(data.length / 1e6).toFixed(1)} MB`);
  };
  try {
    for (const arch of archs) await addAgent(arch, parcels, { add, key, level });
    for (const arch of archs) {
      const entries = await controllerTree({ arch: architectures[arch], parcels });
      add(`vantage_${version}_${arch}.deb`, await packControllerDeb({ version, arch, entries, level }));
      const versioned = entries.map((entry) => ({ ...entry, name: `vantage-${version}/${entry.name}` }));
      add(`vantage-${version}-linux-${arch}.tar.gz`, await packArchive(versioned, level));
    }
    const context = imageContext().map((entry) => ({
      ...entry,
      name: `vantage-${version}-image/${entry.name}`,
    }));
    add(`vantage-${version}-image.tar.gz`, await packArchive(context, level));
    const { sbom, licences } = releaseContents(archs);
    add(`vantage-${version}.cdx.json`, sbom);
    add('LICENCES.txt', licences);
    add('NOTES.md', releaseNotes(readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8'), version));
    writeFileSync(path.join(temporary, sumsFile), sumsOf(sums));
    if (key !== undefined) writeFileSync(path.join(temporary, signatureFile), signSums(sumsOf(sums), key));
    renameSync(temporary, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
    rmSync(parcels, { recursive: true, force: true });
  }
}

/** Packs the agent for an architecture, and writes its parcel to `parcels` as a controller serves it. */
async function addAgent(
  arch: HostArchitecture,
  parcels: string,
  { add, key, level }: Pick<ReleasePlan, 'key' | 'level'> & { add: (name: string, data: Buffer) => void },
): Promise<void> {
  const entries = await parcelTree(architectures[arch]);
  const name = `vantage-agent-linux-${arch}.tar.gz`;
  const file = path.join(parcels, name);
  const packed = await packArchive(entries, level);
  writeFileSync(file, packed);
  writeFileSync(`${file}.sha256`, `${digestOf(packed)}  ${name}\n`);
  add(name, packed);
  if (key !== undefined) {
    await signParcel(file, key);
    add(`${name}.sig`, readFileSync(`${file}.sig`));
  }
  add(`vantage-agent_${version}_${arch}.deb`, await packDeb({ version, arch, entries, level }));
}

function digestOf(data: Buffer | string): string {
  return createHash('sha256').update(data).digest('hex');
}
