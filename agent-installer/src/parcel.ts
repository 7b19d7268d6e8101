// Builds the parcels for hosts: `npm run parcel`, or for some architectures: `npm run parcel -- amd64`. A parcel is a
// file dist/vantage-agent-linux-ARCH.tar.gz. The Debian package has the same files. Each has a file with its SHA-256
// for `sha256sum -c`. The same sources give the same bytes. `--archive` builds only the archive, in half of the time;
// `vantage agents invite` does so when it is missing.
import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { productVersion } from '@vantage/domain';
import { messageOf } from '@vantage/kernel';
import { packDeb } from './agent-deb.ts';
import { architectures, isHostArchitecture } from './architectures.ts';
import { packArchive } from './pack-archive.ts';
import { parcelTree } from './parcel-tree.ts';
import { root } from './root.ts';

const requested = process.argv.slice(2).filter((argument) => argument !== '--archive');
const isArchiveOnly = process.argv.includes('--archive');
const folder = path.join(root, 'agent-installer/dist');
mkdirSync(folder, { recursive: true });
for (const name of requested.length > 0 ? requested : Object.keys(architectures)) {
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

/** Writes a file and then its digest. Readers see either the old or the new file. */
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
  // Concurrent runs write to different temporary files.
  const temporary = `${target}.${process.pid}`;
  writeFileSync(temporary, content);
  renameSync(temporary, target);
}
