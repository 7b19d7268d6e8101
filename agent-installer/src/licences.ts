import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Texts of licences, one after the other, by the names of the packages. */
export function joinLicences(texts: ReadonlyMap<string, string>): string {
  const parts = [...texts].map(([name, text]) => `${name}\n\n${text}\n`);
  return parts.sort().join('\n----------------------------------------\n\n');
}

/** The licence of the package in a folder: its file, else the name that its package.json declares. */
export function readLicence(folder: string): string {
  for (const name of ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license', 'LICENCE', 'License']) {
    try {
      return readFileSync(path.join(folder, name), 'utf8');
    } catch {
      // tries the next name
    }
  }
  const declared: unknown = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const licence = declared instanceof Object && 'license' in declared ? declared.license : undefined;
  return `Licence: ${typeof licence === 'string' ? licence : 'see the package'}`;
}
