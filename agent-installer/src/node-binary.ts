import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { unpackTar } from 'modern-tar';
import { z } from 'zod';
import { architectureOf, withoutSections } from './elf.ts';
import { root } from './root.ts';

/** An architecture of hosts, as Node names it. */
export type Architecture = 'x64' | 'arm64';

/** Node for one architecture. */
export interface NodeBinary {
  /** Without symbols and debugging information. */
  readonly program: Buffer;
  readonly licence: string;
}

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({ version: z.string().optional(), integrity: z.string().optional() }),
  ),
});

/**
 * The Node of package-lock.json for an architecture: from the installed packages, or from npm's registry, because npm installs the one
 * of its own machine only. Throws where the registry does not answer, or when its answer is not what package-lock.json names.
 */
export async function readNode(arch: Architecture): Promise<NodeBinary> {
  const name = `node-linux-${arch}`;
  const folder = path.join(root, 'node_modules', name);
  const { program, licence } = existsSync(path.join(folder, 'bin/node'))
    ? {
        program: readFileSync(path.join(folder, 'bin/node')),
        licence: readFileSync(path.join(folder, 'LICENSE'), 'utf8'),
      }
    : await download(name);
  if (architectureOf(program) !== arch) throw new Error(`the program of ${name} is for another architecture`);
  return { program: withoutSections(program), licence };
}

async function download(name: string): Promise<NodeBinary> {
  const lock = lockSchema.parse(JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')));
  const { version, integrity } = lock.packages[`node_modules/${name}`] ?? {};
  if (version === undefined || integrity === undefined)
    throw new Error(`package-lock.json does not name ${name}`);
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-node-'));
  try {
    const args = ['pack', `${name}@${version}`, '--silent', '--pack-destination', folder];
    const file = execFileSync('npm', args, { cwd: folder, encoding: 'utf8' }).trim();
    const packed = readFileSync(path.join(folder, file));
    const digest = `sha512-${createHash('sha512').update(packed).digest('base64')}`;
    if (digest !== integrity)
      throw new Error(`${name}@${version} is not the one that package-lock.json names`);
    const entries = await unpackTar(gunzipSync(packed));
    const read = (wanted: string) => {
      const data = entries.find(({ header }) => header.name === `package/${wanted}`)?.data;
      if (data === undefined) throw new Error(`${name}@${version} has no ${wanted}`);
      return Buffer.from(data);
    };
    return { program: read('bin/node'), licence: read('LICENSE').toString('utf8') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
