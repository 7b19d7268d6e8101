// INN's reader daemon, alone: no innd, an empty group, logins by a password file.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { CertificateFiles } from '@vantage/testing/certificates';
import { freePort } from '@vantage/testing/free-port';
import { idOf, login, packages, type Server, type ServersFixture, serve, write } from './servers-fixture.ts';

/** The only group. Its readers must log in. */
export const group = 'real.test';

/** Starts nnrpd, which serves readers that log in, with STARTTLS. All its files are in a folder of the test's own. */
export async function startInn(fixture: ServersFixture, tls: CertificateFiles): Promise<Server> {
  const port = await freePort();
  const home = path.join(fixture.folder, `inn-${port}`);
  const bin = path.dirname(packages.inn2);
  const news = path.dirname(bin);
  writeInnFiles(home, tls);
  write(home, 'etc/inn.conf', innConf(home, news));
  const ids = { uid: idOf('news', '-u'), gid: idOf('news') };
  for (const name of ['', ...readdirSync(home, { recursive: true, encoding: 'utf8' })])
    chownSync(path.join(home, name), ids.uid, ids.gid);
  chmodSync(path.join(home, 'key.pem'), 0o600);
  const env = { LD_LIBRARY_PATH: news, INNCONF: path.join(home, 'etc/inn.conf') };
  // makehistory creates the index of the overview; there is no article.
  execFileSync(path.join(bin, 'makehistory'), ['-O', '-x', '-T', path.join(home, 'tmp')], {
    ...ids,
    env,
    stdio: 'ignore',
  });
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const address = ['-b', '127.0.0.1', '-p', String(port)];
  const conf = ['-c', path.join(home, 'etc/readers.conf')];
  return serve(port, 'env', [...settings, packages.inn2, '-D', '-f', ...address, ...conf]);
}

/** Writes the password file, the certificate, the one empty group and the rules for readers. */
function writeInnFiles(home: string, tls: CertificateFiles): void {
  const folders = ['etc', 'db', 'log', 'run', 'tmp', 'spool', 'spool/overview', 'spool/articles'];
  for (const name of ['', ...folders]) mkdirSync(path.join(home, name));
  const hash = execFileSync('openssl', ['passwd', '-6', login.password], { encoding: 'utf8' }).trim();
  write(home, 'etc/passwd', `${login.user}:${hash}\n`);
  write(home, 'etc/storage.conf', 'method timehash {\n  newsgroups: *\n  class: 0\n}\n');
  write(home, 'db/active', `${group} 0000000000 0000000001 y\n`);
  for (const name of ['newsgroups', 'active.times', 'history']) write(home, `db/${name}`, '');
  write(home, 'cert.pem', readFileSync(tls.cert, 'utf8'));
  write(home, 'key.pem', readFileSync(tls.key, 'utf8'));
  write(
    home,
    'etc/readers.conf',
    `auth "all" {
  hosts: "*"
  default: "<anonymous>"
  auth: "ckpasswd -f ${home}/etc/passwd"
}
access "members" {
  users: "${login.user}"
  newsgroups: "*"
  access: R
}
access "others" {
  users: "<anonymous>"
  newsgroups: "!*"
}
`,
  );
}

/** `news` is the folder of INN's package. */
function innConf(home: string, news: string): string {
  return `mta: "/bin/true"
organization: "Vantage tests"
pathhost: news.real.test
domain: real.test
hismethod: hisv6
enableoverview: true
nnrpdloadlimit: 0
ovmethod: tradindexed
pathnews: ${news}
pathbin: ${news}/bin
pathetc: ${home}/etc
pathdb: ${home}/db
pathlog: ${home}/log
pathrun: ${home}/run
pathtmp: ${home}/tmp
pathspool: ${home}/spool
pathoverview: ${home}/spool/overview
patharticles: ${home}/spool/articles
tlscertfile: ${home}/cert.pem
tlskeyfile: ${home}/key.pem
`;
}
