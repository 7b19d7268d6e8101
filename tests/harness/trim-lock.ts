// `npm run release:lock` runs this program after a change of dependencies. A registry that lacks the package of some
// platform leaves its name in package-lock.json as an optional dependency without an entry, and npm ci then refuses the
// whole file. This program removes such names, so that npm ci can install the rest. It also removes the versions of
// Node that packages demand. Else an older Node silently installs without optional packages (those of rolldown on Node
// 18), although the Node that comes with the packages runs them all.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const file = path.resolve(import.meta.dirname, '../../package-lock.json');
const text = readFileSync(file, 'utf8');
const lockfile = z.looseObject({ packages: z.record(z.string(), z.record(z.string(), z.unknown())) });
const { packages } = lockfile.parse(JSON.parse(text));
const present = new Set(Object.keys(packages).map((place) => place.split('node_modules/').at(-1)));
const removed: string[] = [];

/** Drops the names without an entry from each list of optional dependencies. */
function trim(key: string, value: unknown): unknown {
  if (key !== 'optionalDependencies' || value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value);
  removed.push(...entries.map(([name]) => name).filter((name) => !present.has(name)));
  return Object.fromEntries(entries.filter(([name]) => present.has(name)));
}

const trimmed = lockfile.parse(JSON.parse(text, trim));
for (const [place, entry] of Object.entries(trimmed.packages))
  if (place.includes('node_modules/')) delete entry['engines'];
writeFileSync(file, `${JSON.stringify(trimmed, null, 2)}\n`);
console.log(
  removed.length === 0
    ? 'package-lock.json is complete'
    : `taken out of package-lock.json: ${removed.join(', ')}`,
);
