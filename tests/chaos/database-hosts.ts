// Two hosts of databases in a star, `p` and `s`, and the name or the address that moves from one to the other.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { DatabaseServer } from '../harness/database-servers.ts';
import { inside, ip } from '../harness/netns.ts';

/** How clients find the primary: by a name, or by an address that the hosts take from one another. */
export type Way = 'name' | 'address';
type Host = 'p' | 's';

/** The namespaces of the star, in the order of their networks: two controllers, two databases, an agent. */
export const hosts = ['c', 'p', 's', 'd', 'a'] as const;
export const addressOf = (host: (typeof hosts)[number]) => `10.213.${hosts.indexOf(host)}.2`;
const [name, moving] = ['vantage-database', '10.214.9.9'];

export const databaseUrl = (way: Way) => `postgres://vantage@${way === 'name' ? name : moving}:5432/postgres`;

/** The hosts file that a namespace has instead of the machine's. */
const hostsFolder = (netns: string) => `/etc/netns/${netns}`;

/** The namespace resolves the name itself; for programs that start there from now on. */
export function giveHostsFile(netns: string): Disposable {
  const folder = hostsFolder(netns);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'hosts'), `127.0.0.1 localhost\n${addressOf('p')} ${name}\n`);
  return { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Lets a server be reached on a host. */
export async function placeServer(tag: string, host: Host, server: DatabaseServer): Promise<AsyncDisposable> {
  const netns = `vt${tag}${host}`;
  ip('-n', netns, 'addr', 'add', `${moving}/32`, 'dev', 'lo');
  if (host === 'p') ip('-n', `vt${tag}r`, 'route', 'add', `${moving}/32`, 'via', addressOf(host));
  const program = path.join(import.meta.dirname, 'database-host.ts');
  const socket = path.join(server.folder, '.s.PGSQL.5432');
  const child = spawn('ip', inside(netns, process.execPath, program, socket), {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return {
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

/** No packet leaves host `p` or reaches it, whatever its address. */
export function loseHost(tag: string): void {
  const router = `vt${tag}r`;
  ip('-n', router, 'rule', 'add', 'iif', `v${tag}${hosts.indexOf('p')}`, 'pref', '50', 'blackhole');
  for (const to of [addressOf('p'), moving])
    ip('-n', router, 'rule', 'add', 'to', to, 'pref', '51', 'blackhole');
}

/** Host `s` takes the name, or the address. Inside a namespace with a hosts file. */
export function moveToStandby(tag: string, way: Way): void {
  const router = `vt${tag}r`;
  if (way === 'name') writeFileSync('/etc/hosts', `127.0.0.1 localhost\n${addressOf('s')} ${name}\n`);
  else {
    ip('-n', router, 'route', 'replace', `${moving}/32`, 'via', addressOf('s'));
    ip('-n', router, 'rule', 'del', 'to', moving, 'pref', '51', 'blackhole');
  }
}

/** Whether packets pass between a controller's host and host `p`. */
export function setPath(tag: string, from: 'c' | 'd', verb: 'cut' | 'heal'): void {
  const [source, target] = [addressOf(from), addressOf('p')];
  for (const [one, other] of [
    [source, target],
    [target, source],
  ] as const)
    ip(
      '-n',
      `vt${tag}r`,
      'rule',
      verb === 'cut' ? 'add' : 'del',
      'from',
      one,
      'to',
      other,
      'pref',
      '52',
      'blackhole',
    );
}
