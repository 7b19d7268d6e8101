// Postfix and Dovecot, started by the test on loopback.
import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { CertificateFiles } from '@vantage/testing/certificates';
import { freePort } from '@vantage/testing/free-port';
import { idOf, login, packages, type Server, type ServersFixture, serve, write } from './servers-fixture.ts';

/**
 * Postfix: STARTTLS on one port, implicit TLS on the other. It offers AUTH under TLS only and asks the Dovecot at
 * `authSocket`. Mail for anybody at real.test goes into the one mailbox of that Dovecot.
 */
export async function startPostfix(
  fixture: ServersFixture,
  tls: CertificateFiles,
  authSocket: string,
): Promise<Server & { readonly tlsPort: number }> {
  const port = await freePort();
  const tlsPort = await freePort();
  const home = path.join(fixture.folder, `postfix-${port}`);
  const ids = { uid: idOf('postfix', '-u'), gid: idOf('postfix') };
  for (const name of ['', 'queue', 'data']) mkdirSync(path.join(home, name), { recursive: true });
  chownSync(path.join(home, 'data'), ids.uid, ids.gid);
  const line = (where: number, options: string) =>
    `127.0.0.1:${where} inet n - n - - smtpd -o syslog_name=vt ${options}`;
  write(
    home,
    'master.cf',
    `${line(port, '')}
${line(tlsPort, '-o smtpd_tls_wrappermode=yes')}
${['pickup unix n - n 60 1 pickup', 'cleanup unix n - n - 0 cleanup', 'qmgr unix n - n 300 1 qmgr', 'tlsmgr unix - - n 1000? 1 tlsmgr', 'rewrite unix - - n - - trivial-rewrite', 'proxymap unix - - n - - proxymap', 'anvil unix - - n - 1 anvil', 'virtual unix - n n - - virtual', 'postlog unix-dgram n - n - 1 postlogd'].join('\n')}
`,
  );
  write(
    home,
    'main.cf',
    `compatibility_level = 3.6
queue_directory = ${home}/queue
data_directory = ${home}/data
maillog_file = /var/log/vantage-postfix-${port}.log
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = real.test
mydestination =
alias_maps =
virtual_mailbox_domains = real.test
virtual_mailbox_base = ${path.dirname(authSocket)}
virtual_mailbox_maps = static:mail/
virtual_minimum_uid = 1
virtual_uid_maps = static:${idOf('dovecot', '-u')}
virtual_gid_maps = static:${idOf('dovecot')}
smtpd_tls_chain_files = ${tls.bundle}
smtpd_tls_security_level = may
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = ${authSocket}
smtpd_tls_auth_only = yes
smtpd_client_connection_rate_limit = 0
`,
  );
  const server = await serve(port, packages.postfix, ['-c', home, 'start-fg']);
  return {
    ...server,
    tlsPort,
    async [Symbol.asyncDispose]() {
      spawnSync(packages.postfix, ['-c', home, 'stop']);
      await server[Symbol.asyncDispose]();
      rmSync(`/var/log/vantage-postfix-${port}.log`, { force: true });
    },
  };
}

/** A running Dovecot: its ports, its socket for logins and its mailbox. */
interface Dovecot extends AsyncDisposable, DovecotPorts {
  /** Other servers ask Dovecot on this socket whether a login is right. */
  readonly authSocket: string;
  /** The folder of its one mailbox (maildir). */
  readonly mailbox: string;
}

interface DovecotPorts {
  readonly imap: number;
  readonly imaps: number;
  readonly pop3: number;
  readonly pop3s: number;
}

/** Dovecot: IMAP and POP3, plain with STARTTLS and implicit TLS, one mailbox for the test's user. */
export async function startDovecot(fixture: ServersFixture, tls: CertificateFiles): Promise<Dovecot> {
  const ports = {
    imap: await freePort(),
    imaps: await freePort(),
    pop3: await freePort(),
    pop3s: await freePort(),
  };
  const home = path.join(fixture.folder, `dovecot-${ports.imap}`);
  mkdirSync(path.join(home, 'mail'), { recursive: true });
  chownSync(path.join(home, 'mail'), idOf('dovecot', '-u'), idOf('dovecot'));
  const users = [login.user, `${login.user}@real.test`];
  write(home, 'users', users.map((user) => `${user}:{PLAIN}${login.password}\n`).join(''));
  const conf = write(home, 'dovecot.conf', dovecotConf(home, tls, ports));
  const server = await serve(ports.imap, '/usr/sbin/dovecot', ['-F', '-c', conf]);
  return {
    ...ports,
    authSocket: path.join(home, 'auth'),
    mailbox: path.join(home, 'mail'),
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  };
}

function dovecotConf(home: string, tls: CertificateFiles, ports: DovecotPorts): string {
  return `protocols = imap pop3
base_dir = ${home}/run
log_path = /dev/stderr
disable_plaintext_auth = no
auth_mechanisms = plain login apop
ssl = yes
ssl_cert = <${tls.cert}
ssl_key = <${tls.key}
mail_location = maildir:${home}/mail
first_valid_uid = 1
mail_uid = dovecot
mail_gid = dovecot
passdb {
  driver = passwd-file
  args = ${home}/users
}
userdb {
  driver = static
  args = uid=dovecot gid=dovecot home=${home}/mail
}
service auth {
  unix_listener ${home}/auth {
    mode = 0666
  }
}
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
${dovecotListener('imap', ports.imap, ports.imaps)}
${dovecotListener('pop3', ports.pop3, ports.pop3s)}
`;
}

function dovecotListener(protocol: string, plain: number, implicit: number): string {
  return `service ${protocol}-login {
  inet_listener ${protocol} {
    address = 127.0.0.1
    port = ${plain}
  }
  inet_listener ${protocol}s {
    address = 127.0.0.1
    port = ${implicit}
    ssl = yes
  }
}`;
}
