/**
 * Builds the addon into prebuilt/. Run it after every change in this folder: `node libs/icmp/native/build.ts`.
 * Needs gcc, and Debian's gcc-aarch64-linux-gnu for the other architecture. A missing compiler is reported and skipped.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { addonPath } from '../src/addon.ts';
import { compileAddon, targets } from './compile.ts';

for (const target of targets) {
  if (spawnSync(target.compiler, ['--version']).error) {
    console.log(`${target.arch}: skipped, no ${target.compiler} on this machine`);
    continue;
  }
  const output = addonPath('linux', target.arch);
  mkdirSync(dirname(output), { recursive: true });
  const { ok, text } = compileAddon(target, output);
  console.log(`${target.arch}: ${ok ? `built ${output}` : `failed\n${text}`}`);
  if (!ok) process.exitCode = 1;
}
