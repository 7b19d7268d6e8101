import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '@vantage/testing/free-port';
import { prioritize } from './accuracy-processor.ts';
import { type Talk, talkReport } from './delay-talk.ts';
import { startDovecot, startPostfix } from './mail-servers.ts';
import {
  startDnsmasq,
  startLeafnode,
  startMariadb,
  startNginx,
  startSshd,
  startTelnetd,
  startVsftpd,
} from './servers.ts';
import {
  createServersFixture,
  packages,
  type ServersFixture,
  serve,
  serversMissing,
} from './servers-fixture.ts';

/** A real server of a protocol; those whose name ends in `s` begin with TLS. */
export type Service =
  | 'http'
  | 'https'
  | 'imap'
  | 'imaps'
  | 'pop3'
  | 'pop3s'
  | 'ftp'
  | 'ftps'
  | 'nntp'
  | 'nntps'
  | 'nntpStartTls'
  | 'ssh'
  | 'smtp'
  | 'smtps'
  | 'mysql'
  | 'mysqls'
  | 'telnet'
  | 'telnets'
  | 'dns'
  | 'dnss';

/** All the servers, each at a port of 127.0.0.1. */
export interface Servers extends AsyncDisposable {
  readonly ports: Readonly<Record<Service, number>>;
  /** The authority of all certificates, PEM. */
  readonly ca: string;
  /** A private key that logs in to `ssh`. */
  readonly sshKey: string;
}

/** The reason why the servers cannot run on this machine; undefined when they can. */
export function accuracyServersMissing(): string | undefined {
  return serversMissing(
    'nginx',
    'dovecot-imapd',
    'dovecot-pop3d',
    'vsftpd',
    'leafnode',
    'openssh-server',
    'socat',
    'postfix',
    'mariadb-server',
    'inetutils-telnetd',
    'dnsmasq-base',
  );
}

/** Starts all servers. Those without TLS get a TLS front. */
export async function startServers(): Promise<Servers> {
  const resources = new AsyncDisposableStack();
  try {
    const fixture = resources.use(await createServersFixture());
    const { good, caFile } = fixture.certificates;
    const http = resources.use(await startNginx(fixture)).port;
    // More than a first congestion window holds, so the rest needs another round trip.
    writeFileSync(path.join(fixture.folder, `nginx-${http}`, 'private.txt'), randomBytes(60_000));
    const https = resources.use(await startNginx(fixture, good)).port;
    const dovecot = resources.use(await startDovecot(fixture, good));
    const postfix = resources.use(await startPostfix(fixture, good, dovecot.authSocket));
    const sshd = resources.use(await startSshd(fixture));
    const ftp = resources.use(await startVsftpd(fixture, good)).port;
    const nntp = resources.use(await startLeafnode(fixture)).port;
    const mysql = resources.use(await startMariadb(fixture, good)).port;
    const telnet = resources.use(await startTelnetd()).port;
    const dns = resources.use(await startDnsmasq()).port;
    const front = async (port: number) => resources.use(await startFront(fixture, port)).port;
    const { imap, imaps, pop3, pop3s } = dovecot;
    const ports = {
      http,
      https,
      imap,
      imaps,
      pop3,
      pop3s,
      ftp,
      nntp,
      mysql,
      telnet,
      dns,
      ssh: sshd.port,
      smtp: postfix.port,
      smtps: postfix.tlsPort,
      nntpStartTls: resources.use(await startNews(good.bundle)).port,
      ftps: await front(ftp),
      nntps: await front(nntp),
      mysqls: await front(mysql),
      telnets: await front(telnet),
      dnss: await front(dns),
    };
    return {
      ports,
      ca: readFileSync(caFile, 'utf8'),
      sshKey: readFileSync(sshd.userKeyFile, 'utf8'),
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    };
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
}

/** TLS in front of a plain server, one process a connection. */
async function startFront(fixture: ServersFixture, upstreamPort: number) {
  const port = await freePort();
  const cert = fixture.certificates.good.bundle;
  return serve(port, packages.socat, [
    `OPENSSL-LISTEN:${port},bind=127.0.0.1,reuseaddr,fork,cert=${cert},verify=0,nodelay`,
    `TCP4:127.0.0.1:${upstreamPort},nodelay`,
  ]);
}

async function startNews(bundle: string) {
  const port = await freePort();
  const child = fork(path.join(import.meta.dirname, 'starttls-server.ts'), [`${port}`, bundle]);
  await once(child, 'message');
  return { port, [Symbol.asyncDispose]: () => end(child) };
}

/** Servers at other addresses or ports, with or without a delay. */
export interface Passage extends AsyncDisposable {
  /** The address of each server. */
  readonly ports: Servers['ports'];
  /** The next talk at this port that ends. */
  readonly talk: (port: number) => Promise<Talk>;
}

/**
 * Starts a process that passes connections on; on 127.0.0.1 at ports of its own, elsewhere at the servers' own ports.
 */
export async function startPassage(
  servers: Servers,
  hosts: readonly string[],
  delayMs: number,
): Promise<Passage> {
  const ports = { ...servers.ports };
  const services = Object.keys(ports).filter((name): name is Service => name in ports);
  if (hosts.includes('127.0.0.1')) for (const name of services) ports[name] = await freePort();
  const ways = services.map((name) => `${ports[name]}=${servers.ports[name]}`);
  const script = path.join(import.meta.dirname, 'delay-proxy.ts');
  const child = fork(script, [`${delayMs}`, hosts.join(','), ...ways]);
  child.setMaxListeners(100);
  await once(child, 'message');
  if (child.pid !== undefined) prioritize(child.pid);
  return {
    ports,
    talk: (port) =>
      new Promise((resolve) => {
        const listener = (message: unknown) => {
          const talk = talkReport.parse(message);
          if (talk.port !== port) return;
          child.off('message', listener);
          resolve(talk);
        };
        child.on('message', listener);
      }),
    [Symbol.asyncDispose]: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}
