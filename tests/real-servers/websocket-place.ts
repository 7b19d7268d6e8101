import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { CertificateFiles } from '@vantage/testing/certificates';
import { freePort } from '@vantage/testing/free-port';
import type { Place } from './place.ts';
import { login, packages, type ServersFixture, serve, write } from './servers-fixture.ts';

/** websocketd, which repeats messages, behind nginx with TLS and a path that demands the login. */
async function startSocketServer(fixture: ServersFixture, tls: CertificateFiles) {
  const [port, tlsPort, inner] = [await freePort(), await freePort(), await freePort()];
  const home = path.join(fixture.folder, `websocket-${port}`);
  mkdirSync(home);
  const hash = execFileSync('openssl', ['passwd', '-apr1', login.password], { encoding: 'utf8' }).trim();
  const users = write(home, 'users', `${login.user}:${hash}\n`);
  const pass = `proxy_pass http://127.0.0.1:${inner}/; proxy_http_version 1.1;
    proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade;`;
  const conf = write(
    home,
    'nginx.conf',
    `daemon off; master_process off; worker_processes 1; pid ${home}/pid; error_log stderr;
     events { worker_connections 256; }
     http { access_log off;
       client_body_temp_path ${home}/b; proxy_temp_path ${home}/p; fastcgi_temp_path ${home}/f; uwsgi_temp_path ${home}/u; scgi_temp_path ${home}/s;
       server { listen 127.0.0.1:${port}; listen 127.0.0.1:${tlsPort} ssl;
         ssl_certificate ${tls.cert}; ssl_certificate_key ${tls.key};
         location /socket { ${pass} }
         location /private { auth_basic "vantage"; auth_basic_user_file ${users}; ${pass} } } }`,
  );
  const echo = await serve(inner, packages.websocketd, [`--port=${inner}`, '--address=127.0.0.1', 'cat']);
  const front = await serve(port, packages.nginx, ['-c', conf]);
  return {
    port,
    tlsPort,
    async [Symbol.asyncDispose]() {
      await front[Symbol.asyncDispose]();
      await echo[Symbol.asyncDispose]();
    },
  };
}

export async function websocketPlace(
  fixture: ServersFixture,
  name: 'good' | 'expired' | 'wrongName',
): Promise<Place> {
  const server = await startSocketServer(fixture, fixture.certificates[name]);
  const credentials = { User: login.user, Password: login.password };
  return {
    port: server.port,
    url: (port) => `ws://127.0.0.1:${port}/socket`,
    options: { ...credentials, Send: 'hello', ExpectText: 'hello' },
    wrongPassword: { ...credentials, Password: 'not-it' },
    privateUrl: (port) => `ws://127.0.0.1:${port}/private`,
    wrongExpectation: { Send: 'hello', ExpectText: 'never' },
    tls: { port: server.tlsPort, url: (port) => `wss://127.0.0.1:${port}/private`, mode: 'Implicit' },
    again: (certificate) => websocketPlace(fixture, certificate),
    middle: 40,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
