// The common parts of the real servers: the user of the login, the certificates, start and end of a server.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Certificates, makeCertificates } from '@vantage/testing/certificates';

/** The system user whose password the servers know. Each process has its own, because several may run side by side. */
export const login = { user: `vtprobe${process.pid}`, password: 'Tr0ub4dor-vt' } as const;

/** A running server. Disposing ends it. */
export interface Server extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
}

/** A place for the servers of one test file: folder, certificates, the login's user. */
export interface ServersFixture extends AsyncDisposable {
  readonly folder: string;
  readonly certificates: Certificates;
}

/** The server of each Debian package. */
export const packages = {
  nginx: '/usr/sbin/nginx',
  'openssh-server': '/usr/sbin/sshd',
  postfix: '/usr/sbin/postfix',
  'dovecot-imapd': '/usr/lib/dovecot/imap',
  'dovecot-pop3d': '/usr/lib/dovecot/pop3',
  'mariadb-server': '/usr/sbin/mariadbd',
  vsftpd: '/usr/sbin/vsftpd',
  'inetutils-telnetd': '/usr/sbin/telnetd',
  leafnode: '/usr/sbin/leafnode',
  'dnsmasq-base': '/usr/sbin/dnsmasq',
  unbound: '/usr/sbin/unbound',
  // .ci/run unpacks it and does not install it, because it conflicts with leafnode.
  inn2: '/usr/local/lib/vantage-inn2/usr/lib/news/bin/nnrpd',
  socat: '/usr/bin/socat',
  snmpd: '/usr/sbin/snmpd',
  chrony: '/usr/sbin/chronyd',
  slapd: '/usr/sbin/slapd',
  freeradius: '/usr/sbin/freeradius',
  kamailio: '/usr/sbin/kamailio',
  'redis-server': '/usr/bin/redis-server',
  'postgresql-15': '/usr/lib/postgresql/15/bin/postgres',
  mosquitto: '/usr/sbin/mosquitto',
  websocketd: '/usr/bin/websocketd',
  'prometheus-alertmanager': '/usr/bin/prometheus-alertmanager',
} as const;

/** The reason why these servers cannot run on this machine; undefined when they can. */
export function serversMissing(...names: readonly (keyof typeof packages)[]): string | undefined {
  if (process.getuid?.() !== 0) return 'real servers need root';
  const missing = names.filter((name) => !existsSync(packages[name]));
  return missing.length === 0 ? undefined : `not installed: ${missing.join(', ')}`;
}

/** Prepares the fixture: makes the user and the certificates. */
export async function createServersFixture(): Promise<ServersFixture> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-real-'));
  chmodSync(folder, 0o755);
  if (spawnSync('id', [login.user]).status !== 0) {
    execFileSync('useradd', ['--create-home', '--shell', '/bin/sh', login.user]);
  }
  execFileSync('chpasswd', { input: `${login.user}:${login.password}\n` });
  const certificates = await makeCertificates(path.join(folder, 'tls'));
  return {
    folder,
    certificates,
    async [Symbol.asyncDispose]() {
      spawnSync('userdel', ['--remove', '--force', login.user]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * How often `serve` tries a port, every 50 ms: a server of many processes needs half a minute to start on a busy
 * machine.
 */
const startTries = 1200;

/** Starts a command and waits until its port answers. Ends it with SIGTERM, then SIGKILL. */
export async function serve(
  port: number,
  command: string,
  args: readonly string[],
  options: { uid?: number; gid?: number } = {},
): Promise<Server> {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: '/',
    detached: true,
    ...options,
  });
  let text = '';
  const keep = (chunk: Buffer) => {
    text = (text + chunk.toString('utf8')).slice(-4000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  for (let i = 0; i < startTries && !(await answers(port)); i += 1) {
    if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}: ${text}`);
    if (i === startTries - 1) throw new Error(`${command} does not listen on ${port}: ${text}`);
    await delay(50);
  }
  return { port, pid: child.pid ?? 0, [Symbol.asyncDispose]: () => end(child) };
}

/** Ends a server's whole process group. */
async function end(child: ChildProcess): Promise<void> {
  const group = -(child.pid ?? 0);
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    try {
      process.kill(group, signal);
    } catch {
      return; // the group has ended
    }
    for (let i = 0; i < 40 && child.exitCode === null && child.signalCode === null; i += 1) await delay(50);
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

/** Writes a configuration file. Returns its path. */
export function write(folder: string, name: string, text: string, mode = 0o644): string {
  const file = path.join(folder, name);
  writeFileSync(file, text, { mode });
  return file;
}

/** A system user's number (`-u`) or its group's (`-g`). */
export function idOf(name: string, kind: '-u' | '-g' = '-g'): number {
  return Number(execFileSync('id', [kind, name], { encoding: 'utf8' }));
}
