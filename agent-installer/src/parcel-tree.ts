import { readFileSync } from 'node:fs';
import path from 'node:path';
import { productVersion } from '@vantage/domain';
import { bundleAgent } from './bundle-agent.ts';
import type { Architecture } from './elf.ts';
import { readNode } from './node-binary.ts';
import type { ArchiveFile } from './pack-archive.ts';
import { root } from './root.ts';

/** Files that are copied unchanged, with their name in the parcel. */
const copiedFiles: readonly { readonly file: string; readonly name: string; readonly mode: number }[] = [
  { file: 'agent-installer/vantage-agent', name: 'bin/vantage-agent', mode: 0o755 },
  { file: 'agent-installer/vantage-agent.service', name: 'service/vantage-agent.service', mode: 0o644 },
  { file: 'agent-installer/vantage-agent.openrc', name: 'service/vantage-agent.openrc', mode: 0o644 },
  { file: 'agent-installer/install.sh', name: 'install.sh', mode: 0o755 },
  { file: 'agent-installer/policy.json', name: 'policy.json', mode: 0o644 },
  { file: 'LICENSE', name: 'LICENSE', mode: 0o644 },
];

/** The files of a parcel, which become the folder `/opt/vantage-agent` of a host. */
export async function parcelTree(arch: Architecture): Promise<ArchiveFile[]> {
  const node = await readNode(arch);
  const { files, licences } = await bundleAgent();
  const addon = `prebuilt/linux-${arch}/icmp.node`;
  const text = (name: string, content: string) => ({ name, mode: 0o644, data: Buffer.from(content) });
  return [
    { name: 'bin/node', mode: 0o755, data: node.program },
    { name: addon, mode: 0o644, data: readFileSync(path.join(root, 'libs/icmp', addon)) },
    ...[...files].map(([name, data]) => ({ name: `lib/${name}`, mode: 0o644, data })),
    ...copiedFiles.map(({ file, name, mode }) => ({ name, mode, data: readFileSync(path.join(root, file)) })),
    text('licences/node.txt', node.licence),
    text('licences/packages.txt', licences),
    text('VERSION', `${productVersion}\n`),
  ];
}
