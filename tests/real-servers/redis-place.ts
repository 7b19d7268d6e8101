import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { CertificateFiles } from '@vantage/testing/certificates';
import { freePort } from '@vantage/testing/free-port';
import type { Place } from './place.ts';
import { login, packages, type ServersFixture, serve } from './servers-fixture.ts';

/** Redis with the test's user, and TLS on another port. */
async function startRedis(fixture: ServersFixture, tls: CertificateFiles) {
  const [port, tlsPort] = [await freePort(), await freePort()];
  const home = path.join(fixture.folder, `redis-${port}`);
  mkdirSync(home);
  const settings = {
    port,
    'tls-port': tlsPort,
    bind: '127.0.0.1',
    dir: home,
    save: '',
    'tls-cert-file': tls.cert,
    'tls-key-file': tls.key,
    'tls-auth-clients': 'no',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const user = ['--user', login.user, 'on', `>${login.password}`, '~*', '+@all'];
  const server = await serve(port, packages['redis-server'], [...args, ...user, '--user', 'default', 'off']);
  return { ...server, tlsPort };
}

export async function redisPlace(
  fixture: ServersFixture,
  name: 'good' | 'expired' | 'wrongName',
): Promise<Place> {
  const server = await startRedis(fixture, fixture.certificates[name]);
  const credentials = { User: login.user, Password: login.password };
  return {
    port: server.port,
    url: (port) => `redis://127.0.0.1:${port}/1`,
    options: { ...credentials, Command: 'LLEN jobs', ExpectValue: '0', ExpectRole: 'master' },
    wrongPassword: { ...credentials, Password: 'not-it' },
    wrongExpectation: { ...credentials, ExpectRole: 'replica' },
    tls: { port: server.tlsPort, mode: 'Implicit' },
    again: (certificate) => redisPlace(fixture, certificate),
    middle: 10,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
