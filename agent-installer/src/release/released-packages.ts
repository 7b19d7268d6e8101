import { type LockEntry, nameAt, type PackageLock, type Reached } from '../lockfile.ts';

/** A third-party package in a release. */
export interface ReleasedPackage {
  readonly name: string;
  readonly version: string;
  /** Undefined: the package declares none. */
  readonly licence: string | undefined;
  /** The digest of its archive in npm's registry, hex. */
  readonly sha512: string | undefined;
  /** The package URL, which identifies the package in the SBOM. */
  readonly purl: string;
  /** Package URLs of its dependencies. */
  readonly loads: readonly string[];
}

/** The third-party packages among `reached`, one for each name and version. Workspaces are left out. */
export function releasedPackages(lock: PackageLock, reached: Reached): readonly ReleasedPackage[] {
  const found = new Map<string, ReleasedPackage>();
  for (const [path, dependencies] of reached) {
    const described = describe(lock, path);
    if (described === undefined) continue;
    const loads = new Set(found.get(described.purl)?.loads);
    for (const dependency of dependencies) {
      const purl = describe(lock, dependency)?.purl;
      if (purl !== undefined) loads.add(purl);
    }
    found.set(described.purl, { ...described, loads: [...loads].toSorted() });
  }
  return [...found.values()].toSorted((a, b) => (a.purl < b.purl ? -1 : 1));
}

function describe(lock: PackageLock, path: string): Omit<ReleasedPackage, 'loads'> | undefined {
  const entry = lock[path];
  if (!path.includes('node_modules/') || entry?.version === undefined) return undefined;
  const name = nameAt(path);
  const { version, license: licence } = entry;
  return { name, version, licence, sha512: sha512Of(entry), purl: purlOf(name, version) };
}

/** The package URL of an npm package: `pkg:npm/%40scope/name@1.2.3`. */
function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${encodeURIComponent(version)}`;
}

function sha512Of({ integrity }: LockEntry): string | undefined {
  const digest = /\bsha512-([A-Za-z0-9+/=]+)/.exec(integrity ?? '')?.[1];
  return digest === undefined ? undefined : Buffer.from(digest, 'base64').toString('hex');
}
