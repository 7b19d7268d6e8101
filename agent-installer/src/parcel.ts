// Makes the parcels that hosts get: `npm run parcel`, or with the architectures: `npm run parcel -- amd64`. Each is a
// file dist/vantage-agent-linux-ARCH.tar.gz, the Debian package has the same files, and beside each lies its SHA-256 as
// `sha256sum -c` reads it. The same sources give the same bytes. `--archive` makes the archive alone, in half of the
// time; `vantage agents invite` does so where there is none.
import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { productVersion } from '@vantage/domain';
import { messageOf } from '@vantage/kernel';
import { architectures, isHostArchitecture } from './architectures.ts';
import { packArchive } from './archive.ts';
import { packDeb } from './deb.ts';
import { root } from './root.ts';
import { parcelTree } from './tree.ts';

const wanted = process.argv.slice(2).filter((each) => each !== '--archive');
const isArchiveOnly = process.argv.includes('--archive');
const folder = path.join(root, 'agent-installer/dist');
mkdirSync(folder, { recursive: true });
for (const name of wanted.length > 0 ? wanted : Object.keys(architectures)) {
  try {
    if (!isHostArchitecture(name))
      throw new Error(
        `there is no such architecture; accepted are ${Object.keys(architectures).join(' and ')}`,
      );
    const entries = await parcelTree(architectures[name]);
    const archive = `vantage-agent-linux-${name}.tar.gz`;
    write(archive, await packArchive(entries));
    put(`${archive}.version`, `${productVersion}\n`);
    if (isArchiveOnly) continue;
    write(
      `vantage-agent_${productVersion}_${name}.deb`,
      await packDeb({ version: productVersion, arch: name, entries }),
    );
  } catch (error) {
    console.error(`${name}: ${messageOf(error)}`);
    process.exitCode = 1;
  }
}

/** Writes a file and then its digest; a reader meanwhile gets the old file or the new one. */
function write(name: string, data: Buffer): void {
  const digest = createHash('sha256').update(data).digest('hex');
  put(name, data);
  put(`${name}.sha256`, `${digest}  ${name}\n`);
  console.log(
    `${path.relative(process.cwd(), path.join(folder, name))}: ${(data.length / 1e6).toFixed(1)} MB, SHA-256 ${digest}`,
  );
}

function put(file: string, content: Buffer | string): void {
  const target = path.join(folder, file);
  // Two runs at once write files of their own.
  const made = `${target}.${process.pid}`;
  writeFileSync(made, content);
  renameSync(made, target);
}
