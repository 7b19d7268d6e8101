import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ip, netnsMissing } from './netns.ts';

/** A minimal Debian with curl and sudo, which `.ci/run` makes with mmdebstrap. */
const debianRoot = '/usr/local/lib/vantage-debian-root';

/** Characters of a command's output that are kept; the list of all files has half a million. */
const longest = 10_000_000;

/** The reason why this machine cannot give a test a clean Debian; undefined: it can. */
export function cleanRootMissing(): string | undefined {
  if (!existsSync(path.join(debianRoot, 'usr/bin/curl')))
    return `there is no Debian with curl in ${debianRoot} (.ci/run makes it)`;
  return netnsMissing();
}

/** The outcome of a command in the clean root. */
interface Ran {
  readonly status: number | null;
  /** Both outputs, as they came. */
  readonly output: string;
}

/**
 * A clean Debian host: its own root, mounts, processes and network, which has no link yet. Disposing it ends every
 * process in it.
 */
export interface CleanRoot extends AsyncDisposable {
  /** Runs a line of sh in it, as root, and waits until it ended and closed its output. */
  run(line: string, env?: Readonly<Record<string, string>>): Promise<Ran>;
  /** Every file outside /proc, /sys and /dev, sorted. */
  files(): Promise<string[]>;
  /** Where its root lies for this machine, as long as it lives: a folder in which files can be read and laid. */
  readonly folder: string;
}

/** A clean Debian host that reaches this machine, and nothing else. */
export interface LinkedRoot extends CleanRoot {
  /** This machine, as the host sees it. */
  readonly gateway: string;
  /** A second address of this machine. */
  readonly otherGateway: string;
}

const netnsOf = (tag: string) => `vtc${tag}`;
const linkOf = (tag: string) => `vc${tag}`;

/**
 * Creates a clean root with a link to this machine. `tag` (at most 4 characters) keeps hosts on one machine apart,
 * `subnet` (0 to 63) too. This machine gets addresses for it: a browser that runs here ends the requests that it has
 * (ERR_NETWORK_CHANGED), so no test beside the browser's makes such a host.
 */
export async function createLinkedRoot(tag: string, subnet: number): Promise<LinkedRoot> {
  const root = await createCleanRoot(tag);
  const addressOf = (last: number) => `10.214.${subnet}.${last}`;
  const [gateway, otherGateway] = [addressOf(1), addressOf(5)];
  const [netns, link] = [netnsOf(tag), linkOf(tag)];
  try {
    ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', netns);
    for (const address of [gateway, otherGateway]) ip('addr', 'add', `${address}/24`, 'dev', link);
    ip('link', 'set', link, 'up');
    ip('-n', netns, 'addr', 'add', `${addressOf(2)}/24`, 'dev', 'eth0');
    ip('-n', netns, 'link', 'set', 'eth0', 'up');
  } catch (error) {
    await root[Symbol.asyncDispose]();
    throw error;
  }
  return { ...root, gateway, otherGateway };
}

/** Creates a clean root. `tag` (at most 4 characters) keeps hosts on one machine apart. */
export async function createCleanRoot(tag: string): Promise<CleanRoot> {
  const netns = netnsOf(tag);
  const work = mkdtempSync(path.join(tmpdir(), 'vantage-clean-root-'));
  removeLeftovers(netns, linkOf(tag));
  ip('netns', 'add', netns);
  ip('-n', netns, 'link', 'set', 'lo', 'up');
  const holder = spawn(
    'ip',
    ['netns', 'exec', netns, 'unshare', '--mount', '--pid', '--fork', 'sh', '-c', mounts, work],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  const first = await firstProcess(holder);
  const enter = ['--target', String(first), '--mount', '--pid', '--net', '--root', '--wd'];
  const run: CleanRoot['run'] = (line, env = {}) =>
    new Promise((resolve) => {
      const child = spawn('nsenter', [...enter, 'sh', '-c', line], {
        env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => {
          output = (output + chunk.toString('utf8')).slice(-longest);
        });
      child.once('close', (status) => resolve({ status, output }));
    });
  return {
    run,
    folder: `/proc/${first}/root`,
    async files() {
      const { output } = await run(
        'find / -xdev \\( -path /proc -o -path /sys -o -path /dev \\) -prune -o -print',
      );
      return output.trim().split('\n').sort();
    },
    async [Symbol.asyncDispose]() {
      process.kill(first, 'SIGKILL');
      await new Promise<void>((resolve) => holder.once('exit', () => resolve()));
      ip('netns', 'del', netns);
      spawnSync('umount', ['-l', work]);
      rmSync(work, { recursive: true, force: true });
    },
  };
}

/**
 * An empty layer over the Debian, in memory; then the mounts of a host, and a process that waits. `$0` is the work
 * folder.
 */
const mounts = `
set -e
mount --make-rprivate /
mount -t tmpfs tmpfs "$0"
mkdir "$0/upper" "$0/work" "$0/root"
mount -t overlay overlay -o "lowerdir=${debianRoot},upperdir=$0/upper,workdir=$0/work" "$0/root"
cd "$0/root"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount --rbind /dev dev
: > .ready
exec chroot . sleep infinity`;

/** The first process of the namespace, once its root is there. */
async function firstProcess(holder: ChildProcess): Promise<number> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (holder.exitCode !== null) throw new Error(`the clean root could not be made (${holder.exitCode})`);
    for (const pid of childrenOf(holder.pid ?? 0))
      if (existsSync(`/proc/${pid}/root/.ready`) && readdirSync(`/proc/${pid}/root`).includes('.ready')) {
        rmSync(`/proc/${pid}/root/.ready`);
        return pid;
      }
    await delay(50);
  }
  throw new Error('the clean root did not come up');
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number);
}

/** Removes what a run that was killed left behind. */
function removeLeftovers(netns: string, link: string): void {
  const { stdout } = spawnSync('ip', ['netns', 'pids', netns], { encoding: 'utf8' });
  for (const pid of stdout.split('\n').filter(Boolean)) process.kill(Number(pid), 'SIGKILL');
  for (const args of [
    ['link', 'del', link],
    ['netns', 'del', netns],
  ])
    spawnSync('ip', args, { stdio: 'ignore' });
}

/** Puts a program of this machine with its libraries into a host, in place of curl. */
export async function replaceCurl(host: CleanRoot, program: string): Promise<void> {
  await host.run('rm /usr/bin/curl');
  // A program that is linked statically has none, and ldd ends with 1.
  const { stdout } = spawnSync('ldd', [program], { encoding: 'utf8' });
  const libraries = stdout.matchAll(/ => (\/\S+)/g);
  for (const [, file = ''] of [['', program], ...libraries]) {
    const at = path.join(host.folder, file);
    if (existsSync(at)) continue;
    mkdirSync(path.dirname(at), { recursive: true });
    copyFileSync(realpathSync(file), at);
  }
}
