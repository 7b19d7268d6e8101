import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { root } from '../root.ts';

/** The folder with the scripts and units. */
export const scriptFolder = path.join(root, 'agent-installer');

const debianScripts = ['debian/postinst', 'debian/prerm', 'debian/postrm'];

/** All shell scripts, relative to `scriptFolder`. */
export const shellScripts = [
  'install.sh',
  'vantage-agent',
  'controller/vantage',
  ...debianScripts,
  ...debianScripts.map((name) => `controller/${name}`),
];

/** Runs a program in `scriptFolder`, with the PATH of ordinary users of Debian and of root after `su`. */
export function runScript(program: string, ...args: string[]) {
  const env = { ...process.env, PATH: '/usr/local/bin:/usr/bin:/bin' };
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    cwd: scriptFolder,
    env,
  });
  return { status, output: `${stdout}${stderr}`, isMissing: error !== undefined };
}
