import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { HostArchitecture } from './architectures.ts';
import type { Entry } from './archive.ts';
import { packDebian } from './debian-package.ts';
import { root } from './root.ts';

/** Scripts that Debian's package manager runs when it installs, removes and purges a package. */
const scripts = ['postinst', 'prerm', 'postrm'];

/** The scripts of a folder of the repository, by their names. */
export function readScripts(folder: string): Record<string, string> {
  return Object.fromEntries(
    scripts.map((name) => [name, readFileSync(path.join(root, folder, name), 'utf8')]),
  );
}

/** Fields that each of our packages has. */
export const commonFields = [
  ['Maintainer', 'The Vantage maintainers <vantage@localhost>'],
  ['Depends', 'libc6 (>= 2.28), libstdc++6 (>= 8), passwd'],
  ['Section', 'net'],
  ['Priority', 'optional'],
] as const;

/**
 * The Debian package of a parcel's files: the program in /opt/vantage-agent, the command in /usr/bin and the unit of
 * systemd. It has no settings; the line of an invitation writes them. The same files give the same bytes.
 */
export function packDeb(parcel: {
  readonly version: string;
  readonly arch: HostArchitecture;
  readonly entries: readonly Entry[];
  /** gzip's. */
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
