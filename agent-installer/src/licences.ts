import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Joins licences, by the names of their packages. */
export function joinLicences(texts: ReadonlyMap<string, string>): string {
  const parts = [...texts].map(([name, text]) => `${name}\n\n${text}\n`);
  return parts.sort().join('\n----------------------------------------\n\n');
}

/** The text of a package's licence, or the name in its package.json where it has no file. */
export function readLicence(folder: string): string {
  for (const name of ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license', 'LICENCE', 'License']) {
    try {
      return readFileSync(path.join(folder, name), 'utf8');
    } catch {
      // try the next name
    }
  }
  const declared: unknown = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const licence = declared instanceof Object && 'license' in declared ? declared.license : undefined;
  return `Licence: ${typeof licence === 'string' ? licence : 'see the package'}`;
}
