// The abilities of each Method that the table does not show, against Debian's servers.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Method } from '@vantage/domain';
import { probeFor } from '@vantage/probes';
import { runTest } from '@vantage/probes/testing';
import { freePort } from '@vantage/testing/free-port';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDovecot, startPostfix } from './mail-servers.ts';
import { dnsKey, startUnbound } from './name-servers.ts';
import { group, startInn } from './news-server.ts';
import { startLeafnode, startMariadb, startNginx, startSshd, startTlsFront, startVsftpd } from './servers.ts';
import {
  createServersFixture,
  login,
  packages,
  type ServersFixture,
  serve,
  serversMissing,
  write,
} from './servers-fixture.ts';

const credentials = { User: login.user, Password: login.password };
const printed: string[] = [];
afterAll(() => void process.stdout.write(`\n${printed.join('\n')}\n`));

let fixture: ServersFixture;
beforeAll(async () => {
  if (process.getuid?.() === 0) fixture = await createServersFixture();
});
afterAll(async () => fixture?.[Symbol.asyncDispose]());

/** Runs a check, prints it, and expects a code, and a text where one is given. */
async function look(method: Method, url: string, options: object, code = 1, text = /./) {
  const probe = probeFor(method);
  if (!probe) throw new Error(`no probe for ${method}`);
  const seen = await runTest(probe, url, options, { timeoutMs: 20_000 });
  printed.push(`${method.padEnd(7)} ${String(seen.code).padStart(2)}  ${seen.text}`);
  expect(seen, seen.text).toMatchObject({ code });
  expect(seen.text).toMatch(text);
  return seen;
}

const startTls = () => ({ Mode: 'StartTLS', CA: fixture.certificates.ca });
const tls = () => ({ CA: fixture.certificates.ca });

describe('DNS at unbound', () => {
  test('eleven types, in any order, over UDP, TCP and TLS', async (context) => {
    const missing = serversMissing('unbound');
    if (missing !== undefined) return context.skip(missing);
    await using server = await startUnbound(fixture, fixture.certificates.good);
    const cases: readonly (readonly [string, string, readonly string[]])[] = [
      ['www.real.test', 'A', ['192.0.2.10']],
      ['www.real.test', 'AAAA', ['2001:DB8::10']],
      ['real.test', 'MX', ['20 mail2.real.test', '10 mail.real.test']],
      ['real.test', 'TXT', ['v=spf1 -all']],
      ['real.test', 'NS', ['ns2.real.test.', 'ns.real.test.']],
      ['real.test', 'SOA', ['ns.real.test admin.real.test 2026 3600 600 86400 60']],
      ['_sip._tcp.real.test', 'SRV', ['1 2 5060 sip.real.test']],
      ['192.0.2.10', 'PTR', ['www.real.test']],
      ['real.test', 'CAA', ['0 issue "ca.test"']],
      ['real.test', 'DNSKEY', [dnsKey]],
      ['alias.real.test', 'CNAME', ['www.real.test']],
    ];
    for (const [name, type, Expect] of cases) {
      const url = `dns://127.0.0.1:${server.port}/${name}?type=${type}`;
      for (const Transport of ['UDP', 'TCP']) await look('DNS', url, { Transport, Expect });
      const secure = `dns://127.0.0.1:${server.tlsPort}/${name}?type=${type}`;
      const seen = await look('DNS', secure, { Transport: 'TLS', Expect, TLS: tls() });
      expect(seen.phases.ssl).toBeGreaterThan(0);
    }
    const none = `dns://127.0.0.1:${server.port}/none.real.test`;
    await look('DNS', none, {}, 5, /none\.real\.test does not exist \(NXDOMAIN/);
    await look('DNS', none, { ExpectRcode: 'NXDOMAIN' });
  });

  test('the check repeats a question over TCP when the answer is too long for a datagram', async (context) => {
    const missing = serversMissing('unbound');
    if (missing !== undefined) return context.skip(missing);
    await using server = await startUnbound(fixture, fixture.certificates.good);
    const seen = await look('DNS', `dns://127.0.0.1:${server.port}/big.real.test?type=TXT`, {});
    expect(seen.extended['TruncatedOverUDP']).toBe(true);
    expect(seen.phases.connect).toBeGreaterThan(0);
  });

  test('the check compares serials between servers', async (context) => {
    const missing = serversMissing('unbound');
    if (missing !== undefined) return context.skip(missing);
    await using first = await startUnbound(fixture, fixture.certificates.good);
    await using same = await startUnbound(fixture, fixture.certificates.good);
    await using other = await startUnbound(fixture, fixture.certificates.good, 2027);
    const url = `dns://127.0.0.1:${first.port}/real.test?type=SOA`;
    await look('DNS', url, { CompareSOAWith: [`127.0.0.1:${same.port}`] });
    const both = [`127.0.0.1:${same.port}`, `127.0.0.1:${other.port}`];
    await look('DNS', url, { CompareSOAWith: both }, 7, /serials of real\.test differ: 2026 at .*, 2027 at /);
  });
});

test('FTP at vsftpd: explicit and implicit TLS, its session on data connections, directories, anonymous', async (context) => {
  const missing = serversMissing('vsftpd');
  if (missing !== undefined) return context.skip(missing);
  await using plain = await startVsftpd(fixture, fixture.certificates.good);
  const conf = readFileSync(path.join(fixture.folder, `vsftpd-${plain.port}`, 'vsftpd.conf'), 'utf8');
  const variant = async (name: string, change: (conf: string) => string) => {
    const port = await freePort();
    const text = change(conf).replace(/listen_port=\d+/, `listen_port=${port}`);
    return serve(port, packages.vsftpd, [write(fixture.folder, `${name}.conf`, text)]);
  };
  const reuse = (text: string) => text.replace('require_ssl_reuse=NO', 'require_ssl_reuse=YES');
  await using strict = await variant('reuse', reuse);
  await using implicit = await variant('implicit', (text) => `${reuse(text)}implicit_ssl=YES\n`);
  const listing = { ...credentials, ExpectEntry: 'report.txt' };
  await look('FTP', `ftp://127.0.0.1:${plain.port}`, { List: true });
  await look('FTP', `ftp://127.0.0.1:${plain.port}`, {
    ...credentials,
    Directory: '/etc',
    ExpectEntry: 'passwd',
  });
  await look('FTP', `ftp://127.0.0.1:${plain.port}`, { ...credentials, Directory: '/nope' }, 7);
  await look('FTP', `ftp://127.0.0.1:${strict.port}`, { ...listing, TLS: startTls() });
  await look('FTP', `ftps://127.0.0.1:${implicit.port}`, { ...listing, TLS: tls() });
});

test('POP3 and IMAP4 at Dovecot: every login, STARTTLS and implicit TLS, days left', async (context) => {
  const missing = serversMissing('dovecot-imapd', 'dovecot-pop3d');
  if (missing !== undefined) return context.skip(missing);
  await using server = await startDovecot(fixture, fixture.certificates.good);
  const pop3 = `pop3://127.0.0.1:${server.pop3}`;
  const imap = `imap://127.0.0.1:${server.imap}`;
  for (const Auth of ['APOP', 'USER']) {
    await look('POP3', pop3, { ...credentials, Auth });
    await look('POP3', pop3, { ...credentials, Auth, TLS: startTls() });
    await look('POP3', `pop3s://127.0.0.1:${server.pop3s}`, { ...credentials, Auth, TLS: tls() });
  }
  for (const Auth of ['LOGIN', 'PLAIN']) {
    const opens = { ...credentials, Auth, Mailbox: 'INBOX' };
    await look('IMAP4', imap, opens);
    await look('IMAP4', imap, { ...opens, TLS: startTls() });
    await look('IMAP4', `imaps://127.0.0.1:${server.imaps}`, { ...opens, TLS: tls() });
  }
  const left = { TLS: { ...tls(), MinDaysLeft: 3000 } };
  const seen = await look(
    'IMAP4',
    `imaps://127.0.0.1:${server.imaps}`,
    left,
    6,
    /expires in \d+ days, at least 3000/,
  );
  expect(seen.extended).toMatchObject({ CertificateChain: [{ DaysLeft: 89 }] });
  await look(
    'IMAP4',
    `imaps://127.0.0.1:${server.imaps}`,
    {},
    6,
    /not signed by an authority that this agent trusts/,
  );
  await look('IMAP4', `imaps://127.0.0.1:${server.imap}`, {}, 6, /does not speak TLS on this port/);
});

test('SMTP at Postfix: logins, STARTTLS and implicit TLS, sender and recipient', async (context) => {
  const missing = serversMissing('postfix', 'dovecot-imapd');
  if (missing !== undefined) return context.skip(missing);
  await using dovecot = await startDovecot(fixture, fixture.certificates.good);
  await using server = await startPostfix(fixture, fixture.certificates.good, dovecot.authSocket);
  const url = `smtp://127.0.0.1:${server.port}`;
  for (const Auth of ['Auto', 'PLAIN', 'LOGIN']) {
    await look('SMTP', url, { ...credentials, Auth, TLS: startTls() });
    await look('SMTP', `smtps://127.0.0.1:${server.tlsPort}`, { ...credentials, Auth, TLS: tls() });
  }
  await look(
    'SMTP',
    url,
    { ...credentials, Auth: 'CRAM-MD5', TLS: startTls() },
    8,
    /offers AUTH PLAIN LOGIN, not CRAM-MD5/,
  );
  await look('SMTP', url, credentials, 8, /offers no AUTH here; many servers do so only under TLS/);
  await look('SMTP', url, { MailFrom: 'a@real.test', RcptTo: 'b@real.test' });
});

test('MySQL at MariaDB: TLS, whole rows, errors; the client gives no file', async (context) => {
  const missing = serversMissing('mariadb-server');
  if (missing !== undefined) return context.skip(missing);
  await using server = await startMariadb(fixture, fixture.certificates.good);
  const url = `mysql://127.0.0.1:${server.port}`;
  const row = { ...credentials, Query: 'select * from t', ExpectResult: '42\tfine' };
  await look('MySQL', url, {});
  await look('MySQL', `${url}/probe`, row);
  await look('MySQL', `${url}/probe`, { ...row, TLS: startTls() });
  await look('MySQL', url, { ...credentials, Query: 'selec' }, 7, /query failed: error 1064/);
  await look('MySQL', url, { ...credentials, Query: "select repeat('x', 5000000)" });
  const load = { ...credentials, Query: "load data local infile '/etc/passwd' into table t" };
  await look('MySQL', `${url}/probe`, load, 7, /query failed: error \d+/);
});

test('SSH at OpenSSH: key and password, a command and its exit code', async (context) => {
  const missing = serversMissing('openssh-server');
  if (missing !== undefined) return context.skip(missing);
  await using server = await startSshd(fixture);
  const url = `ssh://127.0.0.1:${server.port}`;
  await look('SSH', url, {});
  const key = { User: login.user, PrivateKey: readFileSync(server.userKeyFile, 'utf8') };
  await look('SSH', url, { ...key, Command: 'id -un', ExpectOutput: login.user });
  await look('SSH', url, { ...credentials, Command: 'exit 3', ExpectExitCode: 3 });
  await look(
    'SSH',
    url,
    { ...credentials, Command: 'echo no >&2; exit 1' },
    7,
    /expected exit code 0, got 1: "no"/,
  );
});

test('HTTP at nginx: both versions, redirects with their hops, compression, JSON, digest, size', async (context) => {
  const missing = serversMissing('nginx');
  if (missing !== undefined) return context.skip(missing);
  await using plain = await startNginx(fixture);
  await using secure = await startNginx(fixture, fixture.certificates.good);
  const url = `http://127.0.0.1:${plain.port}`;
  const hop = await look('HTTP', `${url}/hop`, { ExpectText: 'it works' });
  expect(hop.extended).toMatchObject({ Hops: [{ Status: 302 }, { Status: 200 }], Encoding: 'gzip' });
  for (const [HTTPVersion, version] of [
    ['1.1', 'HTTP/1.1'],
    ['2', 'HTTP/2'],
    ['Auto', 'HTTP/2'],
  ]) {
    const seen = await look('HTTP', `https://127.0.0.1:${secure.port}/`, {
      HTTPVersion,
      TLS: tls(),
      MinSize: 9,
      MaxSize: 9,
    });
    expect(seen.extended).toMatchObject({ Version: version });
  }
  await look('HTTP', `${url}/json`, { ExpectJSONPath: '$.state.jobs[-1]', ExpectJSONValue: '3' });
  await look(
    'HTTP',
    `${url}/json`,
    { ExpectJSONPath: '$.state.db', ExpectJSONValue: 'broken' },
    7,
    /^\$\.state\.db is "fine", not "broken"$/,
  );
  const ExpectSHA256 = createHash('sha256').update('it works\n').digest('hex');
  await look('HTTP', url, { ExpectSHA256 });
  await look('HTTP', `${url}/private.txt`, credentials);
  await look('HTTP', `${url}/private.txt`, {}, 3, /^401 Unauthorized$/);
});

test('NNTP at INN and leafnode: login, group, STARTTLS and implicit TLS', async (context) => {
  const missing = serversMissing('inn2', 'leafnode', 'socat');
  if (missing !== undefined) return context.skip(missing);
  await using inn = await startInn(fixture, fixture.certificates.good);
  const url = `nntp://127.0.0.1:${inn.port}`;
  await look('NNTP', url, {});
  await look('NNTP', url, { Group: group }, 8, /this group needs User and Password$/);
  await look('NNTP', url, { ...credentials, Group: group });
  await look('NNTP', url, { ...credentials, Group: group, TLS: startTls() }, 1, /^211 0 /);
  await using leafnode = await startLeafnode(fixture);
  await using front = await startTlsFront(fixture.certificates.good, leafnode.port);
  await look('NNTP', `nntps://127.0.0.1:${front.port}`, { TLS: tls() }, 1, /Leafnode/);
  const noLogin = /login refused: "500 .*"; the server knows no login by user and password$/;
  await look('NNTP', `nntp://127.0.0.1:${leafnode.port}`, credentials, 8, noLogin);
  await look('NNTP', `nntp://127.0.0.1:${leafnode.port}`, { TLS: startTls() }, 6, /refused STARTTLS: "500 /);
});
