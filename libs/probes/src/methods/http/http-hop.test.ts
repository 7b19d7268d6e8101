import { createServer, type IncomingMessage } from 'node:http';
import { createSecureServer, createServer as createServer2 } from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { answerWith, makeCertificate, runTest, serveSite, startSite } from '../../testing/index.ts';
import { http } from './http.ts';

describe('HTTP over TLS', () => {
  const certificate = makeCertificate();
  const CA = certificate.cert;
  const secure = (from: { cert: string; key: string }, options = {}) =>
    startSite(
      createTlsServer({ cert: from.cert, key: from.key, ...options }, answerWith(200, 'hello')),
      'https',
    );

  test('a trusted server is good, with ssl time and certificate facts', async () => {
    await using server = await secure(certificate);
    const seen = await runTest(http, server.url, { TLS: { CA } });
    expect(seen, seen.text).toMatchObject({
      code: 1,
      extended: { Version: 'HTTP/1.1', TLS: { Version: 'TLSv1.3' } },
    });
    expect(seen.phases.ssl).toBeGreaterThan(0);
    expect(seen.extended['Certificate']).toHaveProperty('DaysLeft');
  });

  test.each([
    ['self-signed', makeCertificate(), {}, 'certificate for 127.0.0.1 is self-signed'],
    [
      'expired',
      makeCertificate({ fromDays: -30, toDays: -3.5 }),
      'own',
      'certificate for 127.0.0.1 expired 3 days ago',
    ],
    [
      'not yet valid',
      makeCertificate({ fromDays: 2.5, toDays: 30 }),
      'own',
      /^certificate for 127.0.0.1 is not valid before .* \(in 2 days\)$/,
    ],
    [
      'for another name',
      makeCertificate({ names: ['other.example'] }),
      'own',
      'certificate is for other.example, not for 127.0.0.1',
    ],
  ])('a certificate that is %s is 6', async (_what, from, trust, text) => {
    await using server = await secure(from);
    const seen = await runTest(http, server.url, { TLS: trust === 'own' ? { CA: from.cert } : {} });
    expect(seen.code).toBe(6);
    if (typeof text === 'string') expect(seen.text).toBe(text);
    else expect(seen.text).toMatch(text);
    expect(seen.extended['CertificateChain']).toHaveLength(1);
    expect(await runTest(http, server.url, { TLS: { Verify: false } })).toMatchObject({ code: 1 });
  });

  test('too few days left are 6', async () => {
    await using server = await secure(certificate);
    const seen = await runTest(http, server.url, { TLS: { CA, MinDaysLeft: 3650 } });
    expect(seen.code).toBe(6);
    expect(seen.text).toMatch(/expires in \d+ days, at least 3650 days are expected$/);
  });

  test('a server without TLS is 6 and named', async () => {
    await using server = await serveSite(answerWith(200));
    const seen = await runTest(http, server.url.replace('http', 'https'), {});
    expect(seen).toMatchObject({
      code: 6,
      text: `127.0.0.1:${server.port} does not speak TLS on this port`,
    });
  });

  test('a client certificate is shown', async () => {
    const client = makeCertificate({ names: ['client.example'] });
    await using server = await secure(certificate, {
      requestCert: true,
      rejectUnauthorized: true,
      ca: client.cert,
    });
    const TLS = { CA, ClientCert: client.cert, ClientKey: client.key };
    expect(await runTest(http, server.url, { TLS })).toMatchObject({ code: 1 });
    const without = await runTest(http, server.url, { TLS: { CA } });
    expect(without.code, without.text).toBe(6);
  });

  test('HTTP/2 is spoken where the server prefers it, and asked for where the Options do', async () => {
    const both = createSecureServer(
      { cert: certificate.cert, key: certificate.key, allowHTTP1: true },
      (request, response) => {
        let body = '';
        request.on('data', (chunk) => (body += String(chunk)));
        request.on('end', () => {
          const pushes = 'stream' in response && response.stream?.pushAllowed === true;
          response.writeHead(200, { 'x-kind': `two ${body}`, 'x-pushes': `${pushes}` });
          response.end('hello');
        });
      },
    );
    await using server = await startSite(both, 'https');
    const run = (options: object) =>
      runTest(http, server.url, { TLS: { CA }, ExpectText: 'hello', ...options });
    expect(await run({})).toMatchObject({
      code: 1,
      text: '200 OK',
      dataSize: 5,
      extended: { Version: 'HTTP/2' },
    });
    expect(await run({ HTTPVersion: '1.1' })).toMatchObject({
      code: 1,
      extended: { Version: 'HTTP/1.1' },
    });
    const ExpectHeaders = { 'X-Kind': 'two abc', 'X-Pushes': 'false' };
    expect(await run({ Method: 'POST', Body: 'abc', ExpectHeaders })).toMatchObject({ code: 1 });
    await using plain = await secure(certificate);
    expect(await runTest(http, plain.url, { TLS: { CA }, HTTPVersion: '2' })).toMatchObject({ code: 6 });
    await using clear = await startSite(
      createServer2((_request, response) => void response.end('hello')),
      'http',
    );
    expect(await runTest(http, clear.url, { HTTPVersion: '2' })).toMatchObject({
      code: 1,
      extended: { Version: 'HTTP/2' },
    });
  });
});

test.each(['Keep-Alive', 'Proxy-Connection', 'HTTP2-Settings'])(
  'the header %s goes along in HTTP/1.1 only',
  async (name) => {
    const { cert, key } = makeCertificate();
    const both = createSecureServer({ cert, key, allowHTTP1: true }, (request, response) => {
      response.end(request.headers[name.toLowerCase()] === 'x' ? 'has it' : 'has it not');
    });
    await using server = await startSite(both, 'https');
    for (const [HTTPVersion, ExpectText] of [
      ['1.1', 'has it'],
      ['2', 'has it not'],
    ]) {
      const options = { HTTPVersion, ExpectText, Headers: { [name]: 'x' }, TLS: { CA: cert } };
      expect(await runTest(http, server.url, options)).toMatchObject({ code: 1 });
    }
  },
);

test('a proxy is used for plain and, by CONNECT, for secure targets', async () => {
  const certificate = makeCertificate();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers['proxy-authorization']}`);
    response.end('by proxy');
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    asked.push(`${request.method} ${request.url}`);
    const [host, port] = String(request.url).split(':');
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Fine\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  await using proxy = await startSite(server, 'http');
  await using secure = await startSite(createTlsServer(certificate, answerWith(200, 'hello')), 'https');
  const way = proxy.url.replace('//', '//me:sesame@');
  const plain = await runTest(http, 'http://far.example/x', { Proxy: way, ExpectText: 'by proxy' });
  expect(plain, plain.text).toMatchObject({ code: 1 });
  const through = await runTest(http, secure.url, {
    Proxy: way,
    ExpectText: 'hello',
    TLS: { CA: certificate.cert },
  });
  expect(through, through.text).toMatchObject({ code: 1 });
  expect(asked).toEqual([
    `GET http://far.example/x Basic ${Buffer.from('me:sesame').toString('base64')}`,
    `CONNECT 127.0.0.1:${secure.port}`,
  ]);
  expect(JSON.stringify([plain, through])).not.toContain('sesame');
});

test.each([
  [{ CA: '-----BEGIN CERTIFICATE-----\nxxxx\n-----END CERTIFICATE-----' }, 'CA'],
  [
    { ClientCert: makeCertificate().cert },
    'ClientCert set for this device cannot be used: ClientKey is missing',
  ],
  [
    { ClientKey: makeCertificate().key },
    'ClientKey set for this device cannot be used: ClientCert is missing',
  ],
  [
    { ClientCert: makeCertificate().cert, ClientKey: makeCertificate().key },
    'ClientCert or ClientKey set for this device cannot be used: key values mismatch',
  ],
])('settings that cannot work are 6 and named, not the server', async (TLS, what) => {
  await using server = await startSite(createTlsServer(makeCertificate(), answerWith(200, 'hello')), 'https');
  const seen = await runTest(http, server.url, { TLS });
  expect(seen.code).toBe(6);
  expect(seen.text).toContain(`the ${what}`);
});

test('a CA that is no certificate is refused when it is written', () => {
  const { error } = http.options.safeParse({ TLS: { CA: 'nonsense' } });
  expect(error?.issues[0]?.message).toBe('must be a certificate in PEM form (-----BEGIN CERTIFICATE----- …)');
  expect(http.options.safeParse({ TLS: { CA: `\${secret:CA}` } }).success).toBe(true);
});
