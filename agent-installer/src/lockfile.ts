import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Architecture } from './elf.ts';
import { root } from './root.ts';

const names = z.record(z.string(), z.string());
/** npm takes one name for a list of it. */
const list = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
const lockEntry = z.object({
  version: z.string().optional(),
  integrity: z.string().optional(),
  license: z.string().optional(),
  link: z.boolean().optional(),
  resolved: z.string().optional(),
  os: list.optional(),
  cpu: list.optional(),
  dependencies: names.optional(),
  optionalDependencies: names.optional(),
  peerDependencies: names.optional(),
});
const lockSchema = z.object({ packages: z.record(z.string(), lockEntry) });

/** An entry of package-lock.json: a package, a link to a workspace, or a workspace. */
export type LockEntry = z.output<typeof lockEntry>;
/** The entries by their places: `node_modules/zod`, `libs/domain`. */
export type Lock = Readonly<Record<string, LockEntry>>;

/** Reads package-lock.json of this repository. */
export function readLock(): Lock {
  return lockSchema.parse(JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'))).packages;
}

/** The name of the package at a place. */
export function nameAt(place: string): string {
  return place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** A place and the places of its dependencies, both as `reachable` found them. */
export type Reached = ReadonlyMap<string, readonly string[]>;

/**
 * Everything that the programs of the workspaces `from` load on a Linux host of this architecture: packages and
 * workspaces by their places, each with the places of its dependencies. Packages of other platforms and those that
 * `isLeftOut` names are not followed. Throws where a dependency that is not optional is not in the lock.
 */
export function reachable(
  lock: Lock,
  from: readonly string[],
  { arch, isLeftOut }: { readonly arch: Architecture; readonly isLeftOut: (name: string) => boolean },
): Reached {
  const reached = new Map<string, readonly string[]>();
  const waiting = [...from];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    if (reached.has(place)) continue;
    const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = lock[place] ?? {};
    const wanted = Object.keys({ ...peerDependencies, ...optionalDependencies, ...dependencies });
    const next = wanted.flatMap((name) => {
      if (isLeftOut(name)) return [];
      const found = resolve(lock, place, name);
      if (found !== undefined) return fits(lock[found], arch) ? [found] : [];
      if (Object.hasOwn(dependencies, name) && !Object.hasOwn(optionalDependencies, name))
        throw new Error(`package-lock.json has no ${name} for ${place}; "npm run lock" mends it`);
      return [];
    });
    reached.set(place, next.toSorted());
    waiting.push(...next);
  }
  return new Map([...reached].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The place at which Node finds `name` from a place: in its own node_modules, else in those above it. */
function resolve(lock: Lock, from: string, name: string): string | undefined {
  const folders = [from];
  for (let at = from.lastIndexOf('/node_modules/'); at >= 0; at = from.lastIndexOf('/node_modules/', at - 1))
    folders.push(from.slice(0, at));
  const places = [...folders.map((folder) => `${folder}/node_modules/${name}`), `node_modules/${name}`];
  const found = places.find((place) => lock[place] !== undefined);
  const entry = found === undefined ? undefined : lock[found];
  return entry?.link === true ? entry.resolved : found;
}

function fits(entry: LockEntry | undefined, arch: Architecture): boolean {
  return (entry?.os?.includes('linux') ?? true) && (entry?.cpu?.includes(arch) ?? true);
}
