import { commonFields, readScripts } from '../agent-deb.ts';
import type { HostArchitecture } from '../architectures.ts';
import type { ArchiveFile, ArchiveLink } from '../pack-archive.ts';
import { packDebian } from '../pack-debian.ts';

/**
 * Packs the Debian package of the controller: the program in /opt/vantage, the command in /usr/bin, the settings in
 * /etc/vantage and the units of systemd. The nightly backup is off until its folder is set. The same entries give the
 * same bytes.
 */
export function packControllerDeb(content: {
  readonly version: string;
  readonly arch: HostArchitecture;
  readonly entries: readonly (ArchiveFile | ArchiveLink)[];
  readonly level?: number | undefined;
}): Promise<Buffer> {
  const { version, arch, entries, level } = content;
  const copyTo = (name: string, target: string) => {
    const entry = entries.find((candidate) => candidate.name === name);
    if (entry === undefined || !('data' in entry)) throw new Error(`the package has no ${name}`);
    return { ...entry, name: target };
  };
  return packDebian({
    control: [
      ['Package', 'vantage'],
      ['Version', version],
      ['Architecture', arch],
      ...commonFields,
      [
        'Description',
        `self-hosted monitoring: controller, database and one agent
 Checks devices, keeps the history, and notifies people. The package brings Node and
 PostgreSQL; it needs no other package and no network for its installation.`,
      ],
    ],
    scripts: {
      ...readScripts('agent-installer/controller/debian'),
      conffiles: '/etc/vantage/vantage.env\n/etc/vantage/backup.env\n',
    },
    files: [
      ...entries.map((entry) => ({ ...entry, name: `opt/vantage/${entry.name}` })),
      ...['vantage.service', 'vantage-backup.service', 'vantage-backup.timer'].map((unit) =>
        copyTo(`service/${unit}`, `usr/lib/systemd/system/${unit}`),
      ),
      ...['vantage.env', 'backup.env'].map((settings) => copyTo(settings, `etc/vantage/${settings}`)),
      { name: 'usr/bin/vantage', target: '/opt/vantage/bin/vantage' },
    ],
    level,
  });
}
