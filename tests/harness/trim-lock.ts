// Run after a change of dependencies ("npm run lock"). A registry that lacks the package of some platform leaves its
// name in package-lock.json as an optional dependency without an entry of its own, and npm ci then refuses the whole
// file. This program removes such names, so that npm ci can install the rest.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const file = path.resolve(import.meta.dirname, '../../package-lock.json');
const text = readFileSync(file, 'utf8');
const { packages } = z.object({ packages: z.record(z.string(), z.unknown()) }).parse(JSON.parse(text));
const present = new Set(Object.keys(packages).map((place) => place.split('node_modules/').at(-1)));
const removed: string[] = [];

/** Drops the names without an entry from each list of optional dependencies. */
function trim(key: string, value: unknown): unknown {
  if (key !== 'optionalDependencies' || value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value);
  removed.push(...entries.map(([name]) => name).filter((name) => !present.has(name)));
  return Object.fromEntries(entries.filter(([name]) => present.has(name)));
}

writeFileSync(file, `${JSON.stringify(JSON.parse(text, trim), null, 2)}\n`);
console.log(
  removed.length === 0
    ? 'package-lock.json is complete'
    : `taken out of package-lock.json: ${removed.join(', ')}`,
);
