import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { problemOfFile } from '@vantage/domain/binaries';
import { type Architecture, architectureOf, withoutSections } from './elf.ts';
import { fetchPackage } from './packed-package.ts';
import { root } from './root.ts';

export interface NodeBinary {
  /** Without symbols and debugging information. */
  readonly program: Buffer;
  readonly licence: string;
}

/**
 * The Node of package-lock.json for an architecture. It comes from the installed packages, or from npm's registry for
 * other architectures. Throws where the registry does not answer, or the program is not the recorded one.
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
  const problem = problemOfFile(name, 'bin/node', program);
  if (problem !== undefined) throw new Error(problem);
  if (architectureOf(program) !== arch) throw new Error(`the program of ${name} is for another architecture`);
  return { program: withoutSections(program), licence };
}

async function download(name: string): Promise<NodeBinary> {
  const files = await fetchPackage(name);
  const read = (file: string) => {
    const data = files.get(file);
    if (data === undefined) throw new Error(`${name} has no ${file}`);
    return data;
  };
  return { program: read('bin/node'), licence: read('LICENSE').toString('utf8') };
}
