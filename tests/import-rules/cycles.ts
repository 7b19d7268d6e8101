import path from 'node:path';
import { importsOf } from './imports.ts';
import type { Source } from './sources.ts';

/**
 * One sentence for each import cycle: files that import each other, directly or over others. Imports of types count,
 * because a reader follows them, too. `entries` has the file behind each name of a workspace.
 */
export function importCycles(sources: readonly Source[], entries: ReadonlyMap<string, string>): string[] {
  const targets = new Map(
    sources.map((source) => [
      source.file,
      importsOf(source).flatMap(({ name }) => targetOf(source.file, name, entries) ?? []),
    ]),
  );
  return stronglyConnected(targets)
    .filter((group) => group.length > 1)
    .map((group) => `import cycle: ${group.sort().join(', ')}`)
    .sort();
}

function targetOf(file: string, name: string, entries: ReadonlyMap<string, string>): string | undefined {
  return name.startsWith('.') ? path.posix.join(path.posix.dirname(file), name) : entries.get(name);
}

/** Tarjan, "Depth-first search and linear graph algorithms" (1972): the groups of files that reach each other. */
function stronglyConnected(targets: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const open: string[] = [];
  const groups: string[][] = [];
  const enter = (file: string): number => {
    order.set(file, order.size);
    let low = order.size - 1;
    open.push(file);
    for (const target of targets.get(file) ?? [])
      low = Math.min(low, order.has(target) ? openOrder(target) : enter(target));
    if (low === order.get(file)) groups.push(open.splice(open.indexOf(file)));
    return low;
  };
  const openOrder = (file: string) =>
    open.includes(file) ? (order.get(file) ?? 0) : Number.POSITIVE_INFINITY;
  for (const file of targets.keys()) if (!order.has(file)) enter(file);
  return groups;
}
