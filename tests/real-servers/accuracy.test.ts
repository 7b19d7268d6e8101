// Each phase against the time that a delaying proxy stamped itself, at rest and while this process runs 500 checks a
// second. The proxy and the servers are processes of their own.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Measurement, type Method, probeFor } from '@vantage/probes';
import { runTest } from '@vantage/probes/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Ground, login, prepareGround, serversMissing } from './ground.ts';
import { startLoad } from './load.ts';
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

const delays = [20, 50, 100];
const rounds = 9;
const stamps = z.object({ bannerMs: z.number(), answerMs: z.number(), restMs: z.number() });
type Stamps = z.infer<typeof stamps>;

/** How a method's phases follow from the stamps. */
interface Subject {
  readonly name: string;
  readonly method: Method;
  readonly port: () => number;
  readonly url: (port: number) => string;
  readonly options: () => Record<string, unknown>;
  /** The phase that ends with the server's first byte, and when that wait began. */
  readonly first: 'ttfb' | 'ssl';
  readonly began: 'banner' | 'answer';
}

const missing = serversMissing(
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
const printed: string[] = [];
afterAll(() => void process.stdout.write(`\n${printed.join('\n')}\n`));

describe.skipIf(missing)(
  `phases against the server's own stamps${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    let ground: Ground;
    const held: AsyncDisposable[] = [];
    const ports = {
      http: 0,
      https: 0,
      imap: 0,
      pop3: 0,
      ftp: 0,
      nntp: 0,
      ssh: 0,
      smtp: 0,
      mysql: 0,
      telnet: 0,
      dns: 0,
    };
    const keep = <T extends AsyncDisposable>(server: T): T => {
      held.push(server);
      return server;
    };
    beforeAll(async () => {
      ground = await prepareGround();
      ports.http = keep(await startNginx(ground)).port;
      ports.https = keep(await startNginx(ground, ground.certificates.good)).port;
      const dovecot = keep(await startDovecot(ground, ground.certificates.good));
      ports.imap = dovecot.imap;
      ports.pop3 = dovecot.pop3;
      ports.ftp = keep(await startVsftpd(ground, ground.certificates.good)).port;
      ports.nntp = keep(await startLeafnode(ground)).port;
      ports.ssh = keep(await startSshd(ground)).port;
      ports.smtp = keep(await startPostfix(ground, ground.certificates.good, dovecot.authSocket)).port;
      ports.mysql = keep(await startMariadb(ground, ground.certificates.good)).port;
      ports.telnet = keep(await startTelnetd()).port;
      ports.dns = keep(await startDnsmasq()).port;
    });
    afterAll(async () => {
      for (const server of held) await server[Symbol.asyncDispose]();
      await ground?.[Symbol.asyncDispose]();
    });

    const plain = (port: number) => `127.0.0.1:${port}`;
    /** A method whose server speaks first, with the Options that its server takes. */
    const greeted = (
      method: Method,
      port: () => number,
      options: Subject['options'] = () => ({}),
    ): Subject => ({
      name: method,
      method,
      port,
      url: plain,
      options,
      first: 'ttfb',
      began: 'banner',
    });
    const credentials = () => ({ User: login.user, Password: login.password });
    const dialogue = () => ({ Steps: [{ Expect: '200' }] });
    const userLogin = () => ({ ...credentials(), Auth: 'USER' });
    const subjects: readonly Subject[] = [
      {
        name: 'HTTP',
        method: 'HTTP',
        port: () => ports.http,
        url: (port) => `http://127.0.0.1:${port}/`,
        options: () => ({}),
        first: 'ttfb',
        began: 'answer',
      },
      {
        name: 'HTTPS (SSL)',
        method: 'HTTP',
        port: () => ports.https,
        url: (port) => `https://127.0.0.1:${port}/`,
        options: () => ({ TLS: { CA: readFileSync(ground.certificates.caFile, 'utf8') } }),
        first: 'ssl',
        began: 'banner',
      },
      {
        name: 'DNS (TCP)',
        method: 'DNS',
        port: () => ports.dns,
        url: (port) => `dns://127.0.0.1:${port}/www.real.test?type=A`,
        options: () => ({ Transport: 'TCP' }),
        first: 'ttfb',
        began: 'answer',
      },
      greeted('TCP', () => ports.nntp, dialogue),
      greeted('IMAP4', () => ports.imap, credentials),
      greeted('POP3', () => ports.pop3, userLogin),
      greeted('FTP', () => ports.ftp, credentials),
      greeted('NNTP', () => ports.nntp),
      greeted('SSH', () => ports.ssh),
      greeted('SMTP', () => ports.smtp),
      greeted('MySQL', () => ports.mysql, credentials),
      greeted('TELNET', () => ports.telnet),
    ];

    const judge = async (subject: Subject, delayMs: number, withinMs: number, when: string) => {
      const probe = probeFor(subject.method);
      if (!probe) throw new Error(`no probe for ${subject.method}`);
      const proxy = fork(path.join(import.meta.dirname, 'delay-proxy.ts'), [
        String(subject.port()),
        String(delayMs),
      ]);
      try {
        const port = z.object({ port: z.number() }).parse((await once(proxy, 'message'))[0]).port;
        const errors: number[] = [];
        for (let round = 0; round < rounds; round += 1) {
          const told = nextStamps(proxy);
          const seen = await runTest(probe, subject.url(port), subject.options(), { timeoutMs: 20_000 });
          expect(seen, seen.text).toMatchObject({ code: 1 });
          errors.push(errorOf(subject, seen, await told));
        }
        const middle = errors.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
        printed.push(
          `${subject.name.padEnd(12)} ${when.padEnd(8)} ${delayMs} ms: off by ${middle.toFixed(2)} ms`,
        );
        expect(middle).toBeLessThan(withinMs);
      } finally {
        proxy.kill('SIGTERM');
      }
    };

    describe('at rest, within 2 ms', () => {
      test.each(subjects)('$name', async (subject) => {
        for (const delayMs of delays) await judge(subject, delayMs, 2, 'at rest');
      });
    });

    test('beside 500 checks a second, within 5 ms', { timeout: 240_000 }, async () => {
      await using load = await startLoad();
      for (const subject of subjects) await judge(subject, 50, 5, 'loaded');
      printed.push(`load: ${load.checks} checks beside`);
    });
  },
);

/** How far the phase that the proxy delayed is from what it stamped, milliseconds. */
function errorOf(subject: Subject, seen: Measurement, told: Stamps): number {
  const truth = subject.began === 'banner' ? told.bannerMs : told.answerMs;
  return Math.abs(seen.phases[subject.first] - truth);
}

async function nextStamps(proxy: ChildProcess): Promise<Stamps> {
  const [message] = await once(proxy, 'message');
  return stamps.parse(message);
}
