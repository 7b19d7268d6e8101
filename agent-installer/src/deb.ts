import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { HostArchitecture } from './architectures.ts';
import { type Entry, type LinkEntry, packArchive } from './archive.ts';
import { root } from './root.ts';

/** Scripts that Debian's package manager runs when it installs, removes and purges the package. */
const scripts = ['postinst', 'prerm', 'postrm'];

/**
 * A Debian package of a parcel's files (deb(5), format 2.0): the program in /opt/vantage-agent, the command in /usr/bin
 * and the unit of systemd. It has no settings; the line of an invitation writes them. The same files give the same
 * bytes.
 */
export async function packDeb(parcel: {
  readonly version: string;
  readonly arch: HostArchitecture;
  readonly entries: readonly Entry[];
  /** gzip's. */
  readonly level?: number;
}): Promise<Buffer> {
  const { entries, level } = parcel;
  const kib = Math.ceil(entries.reduce((sum, { data }) => sum + data.length, 0) / 1024);
  const control = `Package: vantage-agent
Version: ${parcel.version}
Architecture: ${parcel.arch}
Maintainer: The Vantage maintainers <vantage@localhost>
Installed-Size: ${kib}
Depends: libc6 (>= 2.28), libstdc++6 (>= 8), passwd
Section: net
Priority: optional
Description: agent of the Vantage monitoring system
 Runs the checks of a Location and sends the results to its controller.
 The line of an invitation ("vantage agents invite") connects it.
`;
  const file = (name: string, mode: number, data: Buffer | string): Entry => ({
    name,
    mode,
    data: Buffer.from(data),
  });
  const own = scripts.map((name) =>
    file(name, 0o755, readFileSync(path.join(root, 'agent-installer/debian', name))),
  );
  const service = entries.find(({ name }) => name === 'service/vantage-agent.service');
  if (service === undefined) throw new Error('the parcel has no unit of systemd');
  const files: (Entry | LinkEntry)[] = [
    ...entries.map((entry) => ({ ...entry, name: `opt/vantage-agent/${entry.name}` })),
    { ...service, name: 'usr/lib/systemd/system/vantage-agent.service' },
    { name: 'usr/bin/vantage-agent', target: '/opt/vantage-agent/bin/vantage-agent' },
  ];
  return packAr([
    file('debian-binary', 0o644, '2.0\n'),
    file('control.tar.gz', 0o644, await packArchive([file('control', 0o644, control), ...own], level)),
    file('data.tar.gz', 0o644, await packArchive(files, level)),
  ]);
}

/** An archive of `ar`: each file behind a header of 60 characters, at an even place. */
function packAr(files: readonly Entry[]): Buffer {
  const parts = files.flatMap(({ name, mode, data }) => {
    const fields = [
      [name, 16],
      ['0', 12],
      ['0', 6],
      ['0', 6],
      [`100${mode.toString(8)}`, 8],
      [String(data.length), 10],
    ] as const;
    const header = `${fields.map(([text, width]) => text.padEnd(width)).join('')}\`\n`;
    return [Buffer.from(header), data, Buffer.from(data.length % 2 === 1 ? '\n' : '')];
  });
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts]);
}
