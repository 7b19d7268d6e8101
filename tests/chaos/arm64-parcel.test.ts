// The parcel for arm64 runs in an emulator, with the libraries that a Debian of that architecture has.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { messageOf } from '@vantage/kernel';
import { expect, test } from 'vitest';
import { architectureOf } from '../../agent-installer/src/elf.ts';
import { parcelTree } from '../../agent-installer/src/parcel-tree.ts';

const emulator = 'qemu-aarch64-static';

/**
 * Unpacks the C and C++ libraries of arm64 into a folder, beside this machine's packages; undefined: done, else the
 * reason why not.
 */
function unpackLibraries(folder: string): string | undefined {
  const place = (name: string) => path.join(folder, name);
  for (const name of ['state/lists/partial', 'cache/archives/partial', 'root'])
    mkdirSync(place(name), { recursive: true });
  writeFileSync(place('status'), '');
  const settings = {
    'APT::Architecture': 'arm64',
    'APT::Architectures': 'arm64',
    'APT::Sandbox::User': 'root',
    'Dir::State': place('state'),
    'Dir::State::status': place('status'),
    'Dir::Cache': place('cache'),
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const apt = (...args: string[]) =>
    execFileSync('apt-get', [...options, '-qq', ...args], { cwd: folder, stdio: 'pipe' });
  try {
    execFileSync(emulator, ['--version'], { stdio: 'pipe' });
    apt('update');
    apt('download', 'libc6', 'libstdc++6', 'libgcc-s1');
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.deb')))
      execFileSync('dpkg-deb', ['-x', file, 'root'], { cwd: folder });
    return undefined;
  } catch (error) {
    return `${emulator} and the libraries of arm64 are needed: ${messageOf(error).split('\n')[0]}`;
  }
}

test('the parcel for arm64 has programs of arm64 only, and its node, its addon and its agent run', async ({
  skip,
}) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-arm64-'));
  try {
    const missing = unpackLibraries(folder);
    skip(missing !== undefined, missing);
    const parcel = path.join(folder, 'parcel');
    for (const { name, mode, data } of await parcelTree('arm64')) {
      mkdirSync(path.dirname(path.join(parcel, name)), { recursive: true });
      writeFileSync(path.join(parcel, name), data, { mode });
    }
    const addon = path.join(parcel, 'prebuilt/linux-arm64/icmp.node');
    const node = path.join(parcel, 'bin/node');
    expect([node, addon].map((file) => architectureOf(readFileSync(file)))).toEqual(['arm64', 'arm64']);
    const run = (...args: string[]) =>
      spawnSync(emulator, ['-L', path.join(folder, 'root'), node, ...args], { encoding: 'utf8', env: {} });
    expect(run('-p', 'process.arch').stdout).toBe('arm64\n');
    const load =
      'const own = { exports: {} }; process.dlopen(own, process.argv[1]); console.log(typeof own.exports.open)';
    expect(run('-e', load, addon).stdout).toBe('function\n');
    const agent = run(path.join(parcel, 'lib/agent.mjs'));
    expect([agent.status, agent.stderr]).toEqual([
      2,
      expect.stringContaining('VANTAGE_AGENT_ENDPOINTS is missing'),
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
