import type { HostArchitecture } from '../architectures.ts';
import type { Entry, LinkEntry } from '../archive.ts';
import { commonFields, readScripts } from '../deb.ts';
import { packDebian } from '../debian-package.ts';

/**
 * The Debian package of the controller: the program in /opt/vantage, the command in /usr/bin, the units of systemd (of
 * the service, and of the nightly backup, which is off until its folder is set) and the settings in /etc/vantage.
 * The same entries give the same bytes.
 */
export function packControllerDeb(made: {
  readonly version: string;
  readonly arch: HostArchitecture;
  readonly entries: readonly (Entry | LinkEntry)[];
  /** gzip's. */
  readonly level?: number | undefined;
}): Promise<Buffer> {
  const { version, arch, entries, level } = made;
  const copied = (name: string, place: string) => {
    const entry = entries.find((each) => each.name === name);
    if (entry === undefined || !('data' in entry)) throw new Error(`the package has no ${name}`);
    return { ...entry, name: place };
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
        copied(`service/${unit}`, `usr/lib/systemd/system/${unit}`),
      ),
      ...['vantage.env', 'backup.env'].map((settings) => copied(settings, `etc/vantage/${settings}`)),
      { name: 'usr/bin/vantage', target: '/opt/vantage/bin/vantage' },
    ],
    level,
  });
}
