import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { HostArchitecture } from './architectures.ts';
import type { ArchiveFile } from './pack-archive.ts';
import { packDebian } from './pack-debian.ts';
import { root } from './root.ts';

/** Scripts that dpkg runs when it installs, removes and purges a package. */
const scripts = ['postinst', 'prerm', 'postrm'];

/** The scripts in a folder of the repository, by name. */
export function readScripts(folder: string): Record<string, string> {
  return Object.fromEntries(
    scripts.map((name) => [name, readFileSync(path.join(root, folder, name), 'utf8')]),
  );
}

/** Fields of the control file that all our packages have. */
export const commonFields = [
  ['Maintainer', 'The Vantage maintainers <vantage@localhost>'],
  ['Depends', 'libc6 (>= 2.28), libstdc++6 (>= 8), passwd'],
  ['Section', 'net'],
  ['Priority', 'optional'],
] as const;

/**
 * Packs the Debian package of the agent: the program in /opt/vantage-agent, the command in /usr/bin and the unit of
 * systemd. The line of an invitation writes the settings later. The same files give the same bytes.
 */
export function packDeb(parcel: {
  readonly version: string;
  readonly arch: HostArchitecture;
  readonly entries: readonly ArchiveFile[];
  readonly level?: number | undefined;
}): Promise<Buffer> {
  const { version, arch, entries, level } = parcel;
  const service = entries.find(({ name }) => name === 'service/vantage-agent.service');
  if (service === undefined) throw new Error('the parcel has no unit of systemd');
  return packDebian({
    control: [
      ['Package', 'vantage-agent'],
      ['Version', version],
      ['Architecture', arch],
      ...commonFields,
      [
        'Description',
        `agent of the Vantage monitoring system
 Runs the checks of a Location and sends the results to its controller.
 The line of an invitation ("vantage agents invite") connects it.`,
      ],
    ],
    scripts: readScripts('agent-installer/debian'),
    files: [
      ...entries.map((entry) => ({ ...entry, name: `opt/vantage-agent/${entry.name}` })),
      { ...service, name: 'usr/lib/systemd/system/vantage-agent.service' },
      { name: 'usr/bin/vantage-agent', target: '/opt/vantage-agent/bin/vantage-agent' },
    ],
    level,
  });
}
