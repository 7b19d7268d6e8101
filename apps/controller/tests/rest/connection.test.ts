import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { createLog, systemClock } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ApiPort, createApiPort } from '../../src/server/api-port.ts';
import { ensureCertificates, type ServerCertificate } from '../../src/server/server-certificate.ts';
import { testAuthorities } from '../../src/server/testing/test-authorities.ts';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';

const problem = z.object({ code: z.int(), message: z.string() });
const host = 'Host: localhost\r\nConnection: close\r\n';
const json = 'Content-Type: application/json\r\n';
const long = 'y'.repeat(3_000_000);

/** Requests in the bytes of the wire. */
const requests = {
  'a good one': `GET /v1.1/hello HTTP/1.1\r\n${host}\r\n`,
  'one of HTTP/1.0': 'GET /v1.1/hello HTTP/1.0\r\n\r\n',
  'one that expects what nobody knows': `GET /v1.1/hello HTTP/1.1\r\n${host}Expect: wonders\r\n\r\n`,
  'one without Host': 'GET /v1.1/hello HTTP/1.1\r\nConnection: close\r\n\r\n',
  'no HTTP': 'nonsense\r\n\r\n',
  'an unknown verb': `BREW /v1.1/hello HTTP/1.1\r\n${host}\r\n`,
  'a tunnel': `CONNECT example.org:443 HTTP/1.1\r\n${host}\r\n`,
  'a header of megabytes': `GET /v1.1/hello HTTP/1.1\r\n${host}X: ${long}\r\n\r\n`,
  'a body of megabytes': `POST /v1.1/tags HTTP/1.1\r\n${host}${json}Service-API-Key: KEY\r\nContent-Length: ${long.length}\r\n\r\n${long}`,
  'a body of megabytes in chunks': `POST /v1.1/tags HTTP/1.1\r\n${host}${json}Service-API-Key: KEY\r\nTransfer-Encoding: chunked\r\n\r\n${long.length.toString(16)}\r\n${long}\r\n0\r\n\r\n`,
  'a body of megabytes that nobody wants': `POST /v1.1/nothing HTTP/1.1\r\n${host}Content-Length: ${long.length}\r\n\r\n${long}`,
};
type Name = keyof typeof requests;

describe('a connection to the port', () => {
  let rest: RestFixture;
  let port: ApiPort;
  let number: number;
  let ca: string;
  let certificate: ServerCertificate;
  let key: string;
  const dir = mkdtempSync(path.join(tmpdir(), 'vantage-connection-'));
  beforeAll(async () => {
    rest = await createRestFixture({ settings: { trustedProxies: [] } });
    ({ key } = await rest.key((await rest.account('one')).accountNo, 'UW'));
    const own = await ensureCertificates({
      dir,
      names: ['localhost'],
      authorities: await testAuthorities(),
      clock: createFakeClock(Date.now() * 1000),
      log: createLog('test', 'silent'),
    });
    ca = readFileSync(own.caFile, 'utf8');
    certificate = own.server;
    port = createApiPort({
      certificate: own.server,
      clock: systemClock,
      log: createLog('test', 'silent'),
      ...rest.api,
    });
    number = await port.listen(0, '127.0.0.1');
  });
  afterAll(async () => {
    await port.close(100);
    await rest[Symbol.asyncDispose]();
    rmSync(dir, { recursive: true });
  });

  /** Sends all of it first and reads then, as many clients do; the status and the code of the answer. */
  const ask = async (name: Name, tls: boolean): Promise<readonly [status: number, code: number]> => {
    const bytes = requests[name].replace('KEY', key);
    const answer = await new Promise<string>((resolve, reject) => {
      const to = { port: number, host: '127.0.0.1' };
      const socket = tls ? connectTls({ ...to, ca, servername: 'localhost' }) : connect(to);
      socket.on('error', reject);
      let text = '';
      socket.write(bytes, () => {
        socket.on('data', (chunk) => {
          text += chunk.toString();
        });
        socket.on('end', () => {
          socket.destroy();
          resolve(text);
        });
      });
    });
    const status = Number(/^HTTP\/1\.1 (\d+) /.exec(answer)?.[1]);
    const body = answer.slice(answer.indexOf('\r\n\r\n') + 4);
    return [status, status === 200 ? 0 : problem.parse(JSON.parse(body)).code];
  };

  const expected: Readonly<Record<Name, readonly [number, number]>> = {
    'a good one': [200, 0],
    'one of HTTP/1.0': [200, 0],
    'one that expects what nobody knows': [200, 0],
    'one without Host': [400, 1000],
    'no HTTP': [400, 1000],
    'an unknown verb': [400, 1000],
    'a tunnel': [400, 1000],
    'a header of megabytes': [400, 1000],
    'a body of megabytes': [400, 1000],
    'a body of megabytes in chunks': [400, 1000],
    'a body of megabytes that nobody wants': [400, 1000],
  };
  const names = Object.keys(requests).filter((name): name is Name => name in requests);

  it.each(names)('by TLS, %s, is answered in the shape of the API', async (name) => {
    expect(await ask(name, true)).toEqual(expected[name]);
  });

  it.each(names)('in clear, %s, gets the answer that HTTPS is required, and nothing else', async (name) => {
    expect(await ask(name, false)).toEqual([400, 1007]);
  });

  it.each([
    [true, 'the certificate of the operator', true],
    [true, 'a certificate of the own CA', false],
    [false, 'the certificate of the operator', true],
  ])(
    'with TLS %s and %s: only browsers of an HTTPS host are asked to stay with HTTPS',
    async (tls, _what, ownCertificate) => {
      await using other = await createRestFixture({ settings: { trustedProxies: [], ownCertificate } });
      const own = createApiPort({
        certificate,
        clock: systemClock,
        log: createLog('test', 'silent'),
        ...other.api,
      });
      const to = { port: await own.listen(0, '127.0.0.1'), host: '127.0.0.1' };
      const socket = tls ? connectTls({ ...to, ca, servername: 'localhost' }) : connect(to);
      socket.write(requests['a good one']);
      const answer = await text(socket);
      await own.close(100);
      expect(/^Strict-Transport-Security: max-age=\d+\r$/m.test(answer)).toBe(tls && ownCertificate);
    },
  );
});
