import { type Lock, type LockEntry, nameAt, type Reached } from '../lockfile.ts';

/** A package of others that a release contains. */
export interface ReleasedPackage {
  readonly name: string;
  readonly version: string;
  /** As its package declares it; undefined: it declares none. */
  readonly licence: string | undefined;
  /** Of its archive in npm's registry, hex. */
  readonly sha512: string | undefined;
  /** The package URL, by which everything else refers to it. */
  readonly purl: string;
  /** Package URLs of the packages that it loads. */
  readonly loads: readonly string[];
}

/**
 * The packages among the places of `reached`, by name and version, each once. Workspaces are this project's own and
 * none of them.
 */
export function releasedPackages(lock: Lock, reached: Reached): readonly ReleasedPackage[] {
  const found = new Map<string, ReleasedPackage>();
  for (const [place, next] of reached) {
    const described = describe(lock, place);
    if (described === undefined) continue;
    const loads = new Set(found.get(described.purl)?.loads);
    for (const each of next) {
      const purl = describe(lock, each)?.purl;
      if (purl !== undefined) loads.add(purl);
    }
    found.set(described.purl, { ...described, loads: [...loads].toSorted() });
  }
  return [...found.values()].toSorted((a, b) => (a.purl < b.purl ? -1 : 1));
}

function describe(lock: Lock, place: string): Omit<ReleasedPackage, 'loads'> | undefined {
  const entry = lock[place];
  if (!place.includes('node_modules/') || entry?.version === undefined) return undefined;
  const name = nameAt(place);
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
