import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { CertificateFiles } from '@vantage/testing/certificates';
import { freePort } from '@vantage/testing/free-port';
import type { Place } from './place.ts';
import { idOf, login, packages, type Server, type ServersFixture, serve, write } from './servers-fixture.ts';

/** PostgreSQL with the test's user and SCRAM, with TLS on demand. */
async function startPostgres(fixture: ServersFixture, tls: CertificateFiles): Promise<Server> {
  const port = await freePort();
  const home = path.join(fixture.folder, `postgresql-${port}`);
  mkdirSync(home);
  const ids = { uid: idOf('postgres', '-u'), gid: idOf('postgres') };
  chownSync(home, ids.uid, ids.gid);
  const [cert, key] = [path.join(home, 'cert.pem'), path.join(home, 'key.pem')];
  copyFileSync(tls.cert, cert);
  copyFileSync(tls.key, key);
  // The server refuses a key that others can read.
  chmodSync(key, 0o600);
  for (const file of [cert, key]) chownSync(file, ids.uid, ids.gid);
  const data = path.join(home, 'data');
  const bin = path.dirname(packages['postgresql-15']);
  const password = write(home, 'password', `${login.password}\n`);
  execFileSync(
    path.join(bin, 'initdb'),
    ['-D', data, '-U', login.user, '-A', 'scram-sha-256', `--pwfile=${password}`, '--no-sync'],
    { ...ids, cwd: home, stdio: 'ignore' },
  );
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    ssl: 'on',
    ssl_cert_file: cert,
    ssl_key_file: key,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return serve(port, packages['postgresql-15'], ['-D', data, ...args], ids);
}

export async function postgresqlPlace(
  fixture: ServersFixture,
  name: 'good' | 'expired' | 'wrongName',
): Promise<Place> {
  const server = await startPostgres(fixture, fixture.certificates[name]);
  const credentials = { User: login.user, Password: login.password, Database: 'postgres' };
  const query = { ...credentials, Query: 'select 42 as answer', ExpectRole: 'primary' };
  return {
    port: server.port,
    url: (port) => `postgresql://127.0.0.1:${port}`,
    options: { ...query, ExpectResult: '42' },
    wrongPassword: { ...credentials, Password: 'not-it' },
    wrongExpectation: { ...query, ExpectResult: '43' },
    tls: { port: server.port, mode: 'StartTLS' },
    again: (certificate) => postgresqlPlace(fixture, certificate),
    middle: 20,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
