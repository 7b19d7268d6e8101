import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { unpackTar } from 'modern-tar';
import { readLock } from './lockfile.ts';

/** Names of the packages in package-lock.json. Nested packages keep their path. */
export function lockedPackages(): readonly string[] {
  return Object.keys(readLock()).map((entry) => entry.replace(/^node_modules\//, ''));
}

/**
 * Downloads a package from npm's registry and returns its files by path. Throws where the registry does not answer, or
 * the package does not have the digest of package-lock.json.
 */
export async function fetchPackage(name: string): Promise<ReadonlyMap<string, Buffer>> {
  const { version, integrity } = readLock()[`node_modules/${name}`] ?? {};
  if (version === undefined || integrity === undefined)
    throw new Error(`package-lock.json does not name ${name}`);
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-package-'));
  try {
    const args = ['pack', `${name}@${version}`, '--silent', '--pack-destination', folder];
    const file = execFileSync('npm', args, { cwd: folder, encoding: 'utf8' }).trim();
    const packed = readFileSync(path.join(folder, file));
    const digest = `sha512-${createHash('sha512').update(packed).digest('base64')}`;
    if (digest !== integrity)
      throw new Error(`${name}@${version} does not have the digest of package-lock.json`);
    const files = new Map<string, Buffer>();
    for (const { header, data } of await unpackTar(gunzipSync(packed)))
      if (data !== undefined) files.set(header.name.replace(/^package\//, ''), Buffer.from(data));
    return files;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
