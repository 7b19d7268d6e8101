import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { productVersion } from '@vantage/domain';
import { readIfPresentSync } from '@vantage/kernel';

/** Builds packages of the agent. A package of the controller comes with them, and without the builder. */
const installer = path.resolve(import.meta.dirname, '../../../agent-installer');
const everyMs = 10_000;

/**
 * Builds the agent's package for hosts like this one in `folder`, where there is none of this version and the
 * repository can build it. Says how far it is. Where it cannot be built, the invitation goes on without it.
 */
export async function makeOwnParcel(folder: string, say: (text: string) => void): Promise<void> {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  if (process.platform !== 'linux' || !['amd64', 'arm64'].includes(arch) || !canBuild()) return;
  const file = path.join(folder, `vantage-agent-linux-${arch}.tar.gz`);
  if (isOfVersion(file, productVersion)) return;
  say(
    `making the agent's package of version ${productVersion} for ${arch}, once; this takes about half a minute`,
  );
  const fromMs = performance.now();
  const seconds = () => Math.round((performance.now() - fromMs) / 1000);
  const ticker = setInterval(() => say(`still making the agent's package, ${seconds()} s`), everyMs);
  try {
    const fault = await build(arch);
    if (fault !== undefined)
      say(`the agent's package could not be made: ${fault} ("npm run parcel" tries again)`);
    else
      say(
        `the agent's package is made (${seconds()} s); "npm run parcel" makes that of the other architecture, too`,
      );
  } finally {
    clearInterval(ticker);
  }
}

/** Whether a package is there, with its digest, and of this version. */
export function isOfVersion(file: string, version: string): boolean {
  const [digest, made] = ['sha256', 'version'].map((kind) => readIfPresentSync(`${file}.${kind}`));
  return digest !== undefined && made?.trim() === version;
}

function canBuild(): boolean {
  return ['src/parcel.ts', '../node_modules/rolldown'].every((name) =>
    existsSync(path.join(installer, name)),
  );
}

/** Builds the package; the fault in words, undefined: none. */
function build(arch: string): Promise<string | undefined> {
  const program = path.join(installer, 'src/parcel.ts');
  const child = spawn(process.execPath, [program, arch, '--archive'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString('utf8')).slice(-2_000);
  });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code) => resolve(code === 0 ? undefined : said.trim() || `it ended with ${code}`));
  });
}
