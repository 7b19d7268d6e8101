// Builds a release: `npm run release -- [--key FILE] [--arch amd64] [--out FOLDER] [--level 0..9]`, or verifies one:
// `npm run release -- verify FOLDER --public-key FILE`.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { productVersion, readReleaseKey } from '@vantage/domain';
import { messageOf } from '@vantage/kernel';
import { z } from 'zod';
import { architectures, isHostArchitecture } from '../architectures.ts';
import { readPrivateKey } from '../release-key.ts';
import { root } from '../root.ts';
import { faultsOfRelease } from './release-sums.ts';

const level = z.coerce.number().int().min(0).max(9);

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      key: { type: 'string' },
      'public-key': { type: 'string' },
      arch: { type: 'string', multiple: true, default: Object.keys(architectures) },
      out: { type: 'string' },
      level: { type: 'string', default: '9' },
    },
  });
  const [command = 'make', folder] = positionals;
  if (command === 'verify' && folder !== undefined && values['public-key'] !== undefined)
    await verify(folder, values['public-key']);
  else if (command === 'make') await make(values);
  else
    throw new Error(
      'accepted are "make [--key FILE] [--arch amd64] [--out FOLDER] [--level 0..9]" and "verify FOLDER --public-key FILE"',
    );
} catch (error) {
  console.error(`release: ${messageOf(error)}`);
  process.exitCode = 1;
}

async function make(options: { key?: string; arch: string[]; out?: string; level: string }): Promise<void> {
  const archs = options.arch.map((name) => {
    if (!isHostArchitecture(name))
      throw new Error(`--arch is ${name}; accepted are ${Object.keys(architectures).join(' and ')}`);
    return name;
  });
  const read = level.safeParse(options.level);
  if (!read.success) throw new Error(`--level is ${options.level}; accepted is 0 to 9`);
  const key = options.key === undefined ? undefined : readPrivateKey(path.resolve(options.key));
  const folder = path.resolve(
    options.out ?? path.join(root, 'agent-installer/dist', `release-${productVersion}`),
  );
  // Verification needs neither the dashboard's build nor a bundler.
  const [{ ensurePage }, { makeRelease }] = await Promise.all([
    import('../controller/ensure-page.ts'),
    import('./make-release.ts'),
  ]);
  ensurePage((text) => console.log(text));
  await makeRelease({ folder, archs, key, level: read.data, say: (text) => console.log(text) });
  console.log(`the release is in ${path.relative(process.cwd(), folder) || '.'}`);
  if (key === undefined)
    console.log('it is not signed: --key FILE signs it ("./vantage release-key create FILE")');
}

async function verify(folder: string, keyFile: string): Promise<void> {
  const key = readReleaseKey(readFileSync(keyFile, 'utf8'));
  if (key === undefined)
    throw new Error(`${keyFile} has no public release key: it is in FILE.pub of the private key FILE`);
  const faults = await faultsOfRelease(path.resolve(folder), key);
  if (faults.length > 0) throw new Error(faults.join('\nrelease: '));
  console.log('the release is complete, and signed by this key');
}
