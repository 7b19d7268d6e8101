import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Architecture } from './elf.ts';
import { root } from './root.ts';

const names = z.record(z.string(), z.string());
/** npm accepts a single name instead of a list. */
const list = z.union([z.string().transform((name) => [name]), z.array(z.string())]);
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
/** The entries by path: `node_modules/zod`, `libs/domain`. */
export type PackageLock = Readonly<Record<string, LockEntry>>;

/** Reads package-lock.json of this repository. */
export function readLock(): PackageLock {
  return lockSchema.parse(JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'))).packages;
}

/** The name of the package at a path of the lock. */
export function nameAt(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** The dependencies of each package or workspace, by path. */
export type Reached = ReadonlyMap<string, readonly string[]>;

/**
 * All packages and workspaces that the programs of the workspaces `from` load on a Linux host of this architecture.
 * Leaves out packages of other platforms and those of `isLeftOut`. Throws where the lock lacks a required dependency.
 */
export function reachable(
  lock: PackageLock,
  from: readonly string[],
  { arch, isLeftOut }: { readonly arch: Architecture; readonly isLeftOut: (name: string) => boolean },
): Reached {
  const reached = new Map<string, readonly string[]>();
  const queue = [...from];
  for (let current = queue.pop(); current !== undefined; current = queue.pop()) {
    if (reached.has(current)) continue;
    const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = lock[current] ?? {};
    const names = Object.keys({ ...peerDependencies, ...optionalDependencies, ...dependencies });
    const next = names.flatMap((name) => {
      if (isLeftOut(name)) return [];
      const found = resolve(lock, current, name);
      if (found !== undefined) return fits(lock[found], arch) ? [found] : [];
      if (Object.hasOwn(dependencies, name) && !Object.hasOwn(optionalDependencies, name))
        throw new Error(`package-lock.json has no ${name} for ${current}; "npm run release:lock" repairs it`);
      return [];
    });
    reached.set(current, next.toSorted());
    queue.push(...next);
  }
  return new Map([...reached].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The path at which Node finds a package: in the node_modules of `from`, else in those of its parents. */
function resolve(lock: PackageLock, from: string, name: string): string | undefined {
  const folders = [from];
  for (let at = from.lastIndexOf('/node_modules/'); at >= 0; at = from.lastIndexOf('/node_modules/', at - 1))
    folders.push(from.slice(0, at));
  const candidates = [...folders.map((folder) => `${folder}/node_modules/${name}`), `node_modules/${name}`];
  const found = candidates.find((candidate) => lock[candidate] !== undefined);
  const entry = found === undefined ? undefined : lock[found];
  return entry?.link === true ? entry.resolved : found;
}

function fits(entry: LockEntry | undefined, arch: Architecture): boolean {
  return (entry?.os?.includes('linux') ?? true) && (entry?.cpu?.includes(arch) ?? true);
}
