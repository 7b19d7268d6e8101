import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type OutputChunk, rolldown } from 'rolldown';
import { joinLicences, readLicence } from './licences.ts';
import { nameAt } from './lockfile.ts';
import { root } from './root.ts';

/** The programs of the agent with their sources. In the bundle they find each other by these names in one folder. */
const programs: Readonly<Record<string, string>> = {
  agent: 'apps/agent/src/main.ts',
  doctor: 'apps/agent/src/doctor/main.ts',
  select: 'apps/agent/src/upgrade/select.ts',
  launch: 'agent-installer/src/launch.ts',
  'text-search-worker': 'libs/probes/src/search/text-search-worker.ts',
  spawner: 'libs/probes/src/methods/script/spawner.ts',
  guest: 'libs/probes/src/methods/script/guest.ts',
};

/** Optional native packages, which each machine would need to build. */
const externalPackages = [/\.node$/, 'cpu-features', 'raw-socket'];
/** CommonJS packages in the bundle use these names. */
const banner = 'const __dirname=import.meta.dirname,__filename=import.meta.filename;';

/** Node keeps the source in memory. A single character outside of ASCII would double its size. */
const minimalOutput = {
  charset: 'ascii',
  comments: { legal: false, annotation: false, jsdoc: false },
} as const;

/** Each program is a single file with all of its packages. */
interface AgentBundle {
  /** Content by file name. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** The licences of the bundled packages. */
  readonly licences: string;
}

/**
 * Bundles the agent. Lines and names stay, so that stack traces from hosts are readable. The same sources and packages
 * give the same bytes.
 */
export async function bundleAgent(): Promise<AgentBundle> {
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
    external: externalPackages,
    logLevel: 'silent',
  });
  try {
    const bundled = await built.generate({ format: 'esm', codeSplitting: false, banner, ...minimalOutput });
    return bundled.output[0];
  } finally {
    await built.close();
  }
}

function licencesOf(modules: Iterable<string>): string {
  const folders = [...modules].flatMap(
    (file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [],
  );
  return joinLicences(new Map(folders.map((folder) => [nameAt(folder), readLicence(folder)])));
}
