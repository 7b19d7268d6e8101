import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { CertificateFiles } from '@vantage/testing/certificates';
import { freePort } from '@vantage/testing/free-port';
import type { Place } from './place.ts';
import { login, packages, type ServersFixture, serve, write } from './servers-fixture.ts';

/** mosquitto with the test's user, and TLS on another port. */
async function startMosquitto(fixture: ServersFixture, tls: CertificateFiles) {
  const [port, tlsPort] = [await freePort(), await freePort()];
  const home = path.join(fixture.folder, `mosquitto-${port}`);
  mkdirSync(home);
  const users = path.join(home, 'users');
  execFileSync('mosquitto_passwd', ['-b', '-c', users, login.user, login.password], { stdio: 'ignore' });
  const conf = write(
    home,
    'mosquitto.conf',
    `user root\nallow_anonymous false\npassword_file ${users}\nlistener ${port} 127.0.0.1
listener ${tlsPort} 127.0.0.1\ncertfile ${tls.cert}\nkeyfile ${tls.key}\n`,
  );
  const server = await serve(port, packages.mosquitto, ['-c', conf]);
  return { ...server, tlsPort };
}

export async function mqttPlace(
  fixture: ServersFixture,
  name: 'good' | 'expired' | 'wrongName',
): Promise<Place> {
  const server = await startMosquitto(fixture, fixture.certificates[name]);
  const credentials = { User: login.user, Password: login.password };
  const topic = { ...credentials, Topic: 'vantage/check' };
  return {
    port: server.port,
    url: (port) => `mqtt://127.0.0.1:${port}`,
    options: { ...topic, Message: 'hello' },
    wrongPassword: { ...credentials, Password: 'not-it' },
    wrongExpectation: { ...topic, ExpectMessage: 'never' },
    tls: { port: server.tlsPort, mode: 'Implicit', options: { Version: '5' } },
    again: (certificate) => mqttPlace(fixture, certificate),
    middle: 6,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
