import { readFileSync } from 'node:fs';
import path from 'node:path';
import { productVersion } from '@vantage/domain';
import { type OutputChunk, rolldown } from 'rolldown';
import type { Entry } from './archive.ts';
import type { Architecture } from './elf.ts';
import { joinLicences, readLicence } from './licences.ts';
import { nameAt } from './lockfile.ts';
import { readNode } from './node-binary.ts';
import { root } from './root.ts';

/** Files that come from this folder as they are, with their place in the parcel. */
const own: readonly { readonly file: string; readonly name: string; readonly mode: number }[] = [
  { file: 'agent-installer/vantage-agent', name: 'bin/vantage-agent', mode: 0o755 },
  { file: 'agent-installer/vantage-agent.service', name: 'service/vantage-agent.service', mode: 0o644 },
  { file: 'agent-installer/vantage-agent.openrc', name: 'service/vantage-agent.openrc', mode: 0o644 },
  { file: 'agent-installer/install.sh', name: 'install.sh', mode: 0o755 },
  { file: 'agent-installer/policy.json', name: 'policy.json', mode: 0o644 },
  { file: 'LICENSE', name: 'LICENSE', mode: 0o644 },
];

/** The files of a parcel: the folder `/opt/vantage-agent` of a host of this architecture. */
export async function parcelTree(arch: Architecture): Promise<Entry[]> {
  const node = await readNode(arch);
  const { files, licences } = await bundleAgent();
  const addon = `prebuilt/linux-${arch}/icmp.node`;
  const text = (name: string, content: string) => ({ name, mode: 0o644, data: Buffer.from(content) });
  return [
    { name: 'bin/node', mode: 0o755, data: node.program },
    { name: addon, mode: 0o644, data: readFileSync(path.join(root, 'libs/icmp', addon)) },
    ...[...files].map(([name, data]) => ({ name: `lib/${name}`, mode: 0o644, data })),
    ...own.map(({ file, name, mode }) => ({ name, mode, data: readFileSync(path.join(root, file)) })),
    text('licences/node.txt', node.licence),
    text('licences/packages.txt', licences),
    text('VERSION', `${productVersion}\n`),
  ];
}

/**
 * Each program of the agent, with its source. In the bundle they lie in one folder and find each other by these names.
 */
const programs: Readonly<Record<string, string>> = {
  agent: 'apps/agent/src/main.ts',
  doctor: 'apps/agent/src/doctor/main.ts',
  select: 'apps/agent/src/upgrade/select.ts',
  launch: 'agent-installer/src/launch.ts',
  'text-search-worker': 'libs/probes/src/search/text-search-worker.ts',
  spawner: 'libs/probes/src/methods/script/spawner.ts',
  guest: 'libs/probes/src/methods/script/guest.ts',
};

/** Optional native packages: the others work without them, and each machine would need its own. */
const outside = [/\.node$/, 'cpu-features', 'raw-socket'];
/** CommonJS packages in a bundle use these names. */
const banner = 'const __dirname=import.meta.dirname,__filename=import.meta.filename;';

/** Node keeps a program's text in memory: without comments, and as ASCII, where one other character would double it. */
const small = { charset: 'ascii', comments: { legal: false, annotation: false, jsdoc: false } } as const;

/** The programs, each one file with all of its packages. */
interface Bundle {
  /** Content by file name. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** The licences of the packages inside, one after the other. */
  readonly licences: string;
}

/**
 * Bundles the agent from the sources, with lines and names, so that stack traces from hosts say something. The same
 * sources and packages give the same bytes.
 */
export async function bundleAgent(): Promise<Bundle> {
  const files = new Map<string, Buffer>();
  const modules = new Set<string>();
  for (const [name, source] of Object.entries(programs)) {
    const chunk = await bundle(path.join(root, source));
    files.set(`${name}.mjs`, Buffer.from(chunk.code));
    for (const module of chunk.moduleIds) modules.add(module);
  }
  const quickjs = [...modules].find((file) => file.includes('/quickjs-wasmfile-release-sync/dist/'));
  if (quickjs === undefined) throw new Error('the bundle has no QuickJS');
  const wasm = 'emscripten-module.wasm';
  files.set(wasm, readFileSync(path.join(path.dirname(quickjs), wasm)));
  return { files, licences: licencesOf(modules) };
}

async function bundle(input: string): Promise<OutputChunk> {
  const built = await rolldown({
    input,
    cwd: root,
    platform: 'node',
    external: outside,
    logLevel: 'silent',
  });
  try {
    const made = await built.generate({ format: 'esm', codeSplitting: false, banner, ...small });
    return made.output[0];
  } finally {
    await built.close();
  }
}

/** The text of each package's licence file, by the packages' names. */
function licencesOf(modules: Iterable<string>): string {
  const folders = [...modules].flatMap(
    (file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [],
  );
  return joinLicences(new Map(folders.map((folder) => [nameAt(folder), readLicence(folder)])));
}
