import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { productVersion } from '@vantage/domain';
import { architectures } from '../../agent-installer/src/architectures.ts';
import type { Entry, LinkEntry } from '../../agent-installer/src/archive.ts';
import { ensurePage } from '../../agent-installer/src/controller/page.ts';
import { controllerTree } from '../../agent-installer/src/controller/tree.ts';
import { root } from '../../agent-installer/src/root.ts';

/** The architecture of this machine, as packages name it. */
export const hostArch = process.arch === 'arm64' ? 'arm64' : 'amd64';

let made: Promise<readonly (Entry | LinkEntry)[]> | undefined;

/**
 * The entries of the controller's package for this machine, read once. Builds the page and the agent's package where
 * they are missing.
 */
export function controllerEntries(): Promise<readonly (Entry | LinkEntry)[]> {
  made ??= read();
  return made;
}

function read() {
  const parcels = path.join(root, 'agent-installer/dist');
  const run = (...args: string[]) => execFileSync(process.execPath, args, { cwd: root, stdio: 'pipe' });
  ensurePage(() => {});
  if (!existsSync(path.join(parcels, `vantage-agent_${productVersion}_${hostArch}.deb.sha256`)))
    run('agent-installer/src/parcel.ts', hostArch);
  return controllerTree({ arch: architectures[hostArch], parcels });
}
