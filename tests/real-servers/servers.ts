// Debian's servers. The test starts each on loopback with its own configuration.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { CertificateFiles } from '@vantage/testing/certificates';
import { freePort } from '@vantage/testing/free-port';
import { idOf, login, packages, type Server, type ServersFixture, serve, write } from './servers-fixture.ts';

/**
 * nginx: `/` answers "it works", `/private.txt` demands the login, `/missing` 404, `/broken` 500, `/hop` redirects to
 * `/`; TLS with a certificate.
 */
export async function startNginx(fixture: ServersFixture, tls?: CertificateFiles): Promise<Server> {
  const port = await freePort();
  const home = path.join(fixture.folder, `nginx-${port}`);
  mkdirSync(home);
  const hash = execFileSync('openssl', ['passwd', '-apr1', login.password], { encoding: 'utf8' }).trim();
  const users = write(home, 'users', `${login.user}:${hash}\n`);
  write(home, 'private.txt', 'private\n');
  const lines = tls
    ? `ssl http2; ssl_protocols TLSv1.3; ssl_certificate ${tls.cert}; ssl_certificate_key ${tls.key}`
    : '';
  const conf = write(
    home,
    'nginx.conf',
    `daemon off; master_process off; worker_processes 1; pid ${home}/pid; error_log stderr;
     events { worker_connections 256; }
     http { access_log off; default_type text/plain;
       client_body_temp_path ${home}/b; proxy_temp_path ${home}/p; fastcgi_temp_path ${home}/f; uwsgi_temp_path ${home}/u; scgi_temp_path ${home}/s;
       gzip on; gzip_types text/plain; gzip_min_length 1;
       server { listen 127.0.0.1:${port} ${lines};
         location = / { return 200 "it works\\n"; }
         location = /json { default_type application/json; return 200 '{"state":{"db":"fine","jobs":[1,2,3]}}'; }
         location = /private.txt { auth_basic "vantage"; auth_basic_user_file ${users}; root ${home}; }
         location = /broken { return 500 "broken\\n"; }
         location = /hop { return 302 /; }
         location / { return 404; } } }`,
  );
  return serve(port, packages.nginx, ['-c', conf]);
}

/** sshd with a host key of its own; password and key login for the test's user. */
export async function startSshd(
  fixture: ServersFixture,
): Promise<Server & { readonly hostKeyFile: string; readonly userKeyFile: string }> {
  const port = await freePort();
  const home = path.join(fixture.folder, `sshd-${port}`);
  mkdirSync(home);
  mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  for (const name of ['host', 'user']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path.join(home, name)]);
  }
  const conf = write(
    home,
    'sshd_config',
    `Port ${port}\nListenAddress 127.0.0.1\nHostKey ${home}/host\nPidFile ${home}/pid\nUsePAM no\nPasswordAuthentication yes
AuthorizedKeysFile ${home}/user.pub\nStrictModes no\nPermitRootLogin no\nMaxStartups 100\n`,
  );
  const server = await serve(port, packages['openssh-server'], ['-D', '-e', '-f', conf]);
  return { ...server, hostKeyFile: `${home}/host.pub`, userKeyFile: `${home}/user` };
}

/** MariaDB with the test's user (native password) and a database `probe` with one row. */
export async function startMariadb(fixture: ServersFixture, tls: CertificateFiles): Promise<Server> {
  const port = await freePort();
  const home = path.join(fixture.folder, `mariadb-${port}`);
  mkdirSync(home);
  const ids = { uid: idOf('mysql', '-u'), gid: idOf('mysql') };
  chownSync(home, ids.uid, ids.gid);
  for (const file of [tls.key, tls.cert]) chmodSync(file, 0o644);
  const data = path.join(home, 'data');
  execFileSync(
    'mariadb-install-db',
    ['--no-defaults', `--datadir=${data}`, '--skip-test-db', '--auth-root-authentication-method=normal'],
    { ...ids, stdio: 'ignore', cwd: home },
  );
  const init = write(
    home,
    'init.sql',
    // The server reads one statement a line.
    [
      'create database probe;',
      'create table probe.t (n int, s varchar(20));',
      `insert into probe.t values (42, 'fine');`,
      `create user '${login.user}'@'%' identified by '${login.password}';`,
      `grant all on probe.* to '${login.user}'@'%';`,
      '',
    ].join('\n'),
  );
  return serve(
    port,
    packages['mariadb-server'],
    [
      '--no-defaults',
      `--datadir=${data}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--socket=${home}/s`,
      `--init-file=${init}`,
      '--skip-name-resolve',
      `--ssl-cert=${tls.cert}`,
      `--ssl-key=${tls.key}`,
      `--pid-file=${home}/pid`,
    ],
    ids,
  );
}

/** vsftpd with the test's local user, explicit TLS on demand. */
export async function startVsftpd(fixture: ServersFixture, tls: CertificateFiles): Promise<Server> {
  const port = await freePort();
  const home = path.join(fixture.folder, `vsftpd-${port}`);
  mkdirSync(path.join(home, 'empty'), { recursive: true });
  writeFileSync(`/home/${login.user}/report.txt`, 'here\n');
  const conf = write(
    home,
    'vsftpd.conf',
    `listen=YES\nbackground=NO\nlisten_address=127.0.0.1\nlisten_port=${port}\nanonymous_enable=YES\nlocal_enable=YES\nsecure_chroot_dir=${home}/empty
ftp_username=ftp\npam_service_name=login\nseccomp_sandbox=NO\nssl_enable=YES\nforce_local_logins_ssl=NO\nforce_local_data_ssl=NO\nallow_anon_ssl=YES
rsa_cert_file=${tls.bundle}\nrsa_private_key_file=${tls.bundle}\nssl_ciphers=HIGH\nrequire_ssl_reuse=NO\nxferlog_enable=NO\ncheck_shell=NO\n`,
  );
  return serve(port, packages.vsftpd, [conf]);
}

/** inetutils-telnetd, one process a connection; the login is /bin/login's. */
export async function startTelnetd(): Promise<Server> {
  const port = await freePort();
  return serve(port, packages.socat, [
    `TCP4-LISTEN:${port},bind=127.0.0.1,reuseaddr,fork`,
    `EXEC:${packages['inetutils-telnetd']},nofork`,
  ]);
}

/** leafnode (NNTP), one process a connection, in a mount namespace with a configuration that names the host. */
export async function startLeafnode(fixture: ServersFixture): Promise<Server> {
  const port = await freePort();
  const text = 'server = news.vantage-probe.org\nexpire = 20\nhostname = leaf.vantage-probe.org\n';
  const conf = write(fixture.folder, `leafnode-${port}.conf`, text);
  const socat = `exec ${packages.socat} TCP4-LISTEN:${port},bind=127.0.0.1,reuseaddr,fork EXEC:${packages.leafnode},nofork`;
  return serve(port, 'unshare', [
    '-m',
    'sh',
    '-c',
    `mount --bind ${conf} /etc/news/leafnode/config && ${socat}`,
  ]);
}

/** A TLS front of OpenSSL for a server without TLS. */
export async function startTlsFront(tls: CertificateFiles, behind: number): Promise<Server> {
  const port = await freePort();
  return serve(port, packages.socat, [
    `OPENSSL-LISTEN:${port},bind=127.0.0.1,reuseaddr,fork,cert=${tls.bundle},verify=0`,
    `TCP4:127.0.0.1:${behind}`,
  ]);
}

/** dnsmasq with records of the zone real.test. */
export async function startDnsmasq(): Promise<Server> {
  const port = await freePort();
  return serve(port, packages['dnsmasq-base'], [
    '-k',
    '-C',
    '/dev/null',
    `--port=${port}`,
    '--listen-address=127.0.0.1',
    '--bind-interfaces',
    '--no-resolv',
    '--no-hosts',
    '--user=nobody',
    '--address=/www.real.test/192.0.2.10',
    '--address=/www.real.test/2001:db8::10',
    '--mx-host=real.test,mail.real.test,10',
    '--txt-record=real.test,v=spf1 -all',
    '--srv-host=_sip._tcp.real.test,sip.real.test,5060,1,2',
    '--ptr-record=10.2.0.192.in-addr.arpa,www.real.test',
    '--caa-record=real.test,0,issue,ca.test',
    '--local=/real.test/',
  ]);
}
