import { createServer as createTlsServer } from 'node:https';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { answerWith, listen, makeCertificate, runTest, serveSite, startSite } from '../../testing/index.ts';
import { http } from './http.ts';

describe('an encoded body', () => {
  test.each([
    ['gzip', gzipSync('hello')],
    ['x-gzip', gzipSync('hello')],
    ['deflate', deflateSync('hello')],
    ['br', brotliCompressSync('hello')],
    ['zstd', zstdCompressSync('hello')],
    ['ZSTD', zstdCompressSync('hello')],
    ['gzip, br', brotliCompressSync(gzipSync('hello'))],
    ['gzip, gzip, gzip', gzipSync(gzipSync(gzipSync('hello')))],
    ['identity', Buffer.from('hello')],
  ])('in %s is read', async (encoding, body) => {
    await using server = await serveSite(answerWith(200, body, { 'Content-Encoding': encoding }));
    const seen = await runTest(http, server.url, { ExpectText: 'hello' });
    expect(seen, seen.text).toMatchObject({
      code: 1,
      dataSize: body.length,
      extended: { Encoding: encoding, BodySize: 5 },
    });
  });

  test('is asked for only where Compression says so, and read all the same', async () => {
    await using server = await serveSite((request, response) =>
      response
        .writeHead(200, { 'Content-Encoding': 'gzip' })
        .end(gzipSync(`offer ${request.headers['accept-encoding']}`)),
    );
    const offers = { ExpectText: 'offer gzip, deflate, br, zstd' };
    expect(await runTest(http, server.url, offers)).toMatchObject({ code: 1 });
    expect(
      await runTest(http, server.url, { Compression: false, ExpectText: 'offer undefined' }),
    ).toMatchObject({
      code: 1,
    });
  });

  test.each(['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip'])(
    'that is none, in %s, is no fault',
    async (encoding) => {
      for (const [status, options] of [
        [200, {}],
        [204, {}],
        [200, { Method: 'HEAD' }],
        [404, { ExpectStatus: ['404'] }],
      ] as const) {
        await using server = await serveSite(answerWith(status, '', { 'Content-Encoding': encoding }));
        const seen = await runTest(http, server.url, options);
        expect(seen, `${status} ${seen.text}`).toMatchObject({ code: 1, dataSize: 0 });
      }
    },
  );

  test.each([
    ['gzip', 'no gzip'],
    ['br', 'no brotli at all'],
    ['zstd', 'no zstd'],
    ['gzip', gzipSync('hello').subarray(0, 12)],
    ['gzip, br', gzipSync('hello')],
  ])('that is damaged, in %s, is 3', async (encoding, body) => {
    await using server = await serveSite(answerWith(200, body, { 'Content-Encoding': encoding }));
    const seen = await runTest(http, server.url);
    expect(seen.code).toBe(3);
    expect(seen.text).toContain(`the ${encoding} body of 127.0.0.1:${server.port} is damaged (`);
  });

  test.each(['aes128gcm', 'gzip, aes128gcm', 'gzip, gzip, gzip, gzip'])(
    'in %s cannot be read, which matters only to who expects something of it',
    async (encoding) => {
      await using server = await serveSite(answerWith(200, 'secret', { 'Content-Encoding': encoding }));
      expect(await runTest(http, server.url)).toMatchObject({ code: 1 });
      const seen = await runTest(http, server.url, { ExpectText: 'hello' });
      expect(seen.code).toBe(7);
      expect(seen.text).toMatch(/^the body comes as ".*", which cannot be read here$/);
    },
  );

  test('in zstd with a window that would take 128 MiB is refused', async () => {
    const params = { [constants.ZSTD_c_windowLog]: 27, [constants.ZSTD_c_enableLongDistanceMatching]: 1 };
    const wide = zstdCompressSync(Buffer.alloc(200 * 1024 * 1024), { params });
    await using server = await serveSite(answerWith(200, wide, { 'Content-Encoding': 'zstd' }));
    expect(await runTest(http, server.url, {}, { timeoutMs: 20_000 })).toMatchObject({ code: 3 });
  });

  test.each([
    ['gzip', gzipSync(Buffer.alloc(80 * 1024 * 1024), { level: 9 })],
    [
      'br',
      brotliCompressSync(Buffer.alloc(80 * 1024 * 1024), { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
    ],
    ['zstd', zstdCompressSync(Buffer.alloc(80 * 1024 * 1024))],
    ['gzip, gzip', gzipSync(gzipSync(Buffer.alloc(80 * 1024 * 1024)))],
  ])('that is a bomb, in %s, is given up at its bound', async (encoding, bomb) => {
    await using server = await serveSite(answerWith(200, bomb, { 'Content-Encoding': encoding }));
    const seen = await runTest(http, server.url, {}, { timeoutMs: 20_000 });
    expect(seen).toMatchObject({ code: 7, text: 'body has more than 16777216 bytes: the rest was not read' });
  });
});

test.each([
  ['http://me:sesame@', 'user or password in Proxy are refused'],
  ['http://', 'the proxy wants a user and password in Proxy'],
])('a proxy %s that asks for a login is 8', async (scheme, advice) => {
  await using proxy = await serveSite(answerWith(407, 'who are you'));
  const through = { Proxy: `${scheme}127.0.0.1:${proxy.port}` };
  const plain = await runTest(http, 'http://far.example/', through);
  expect(plain).toMatchObject({ code: 8, text: `407 Proxy Authentication Required: ${advice}` });
});

test('the proxy that asks for a login before CONNECT is 8 too', async () => {
  await using proxy = await listen(
    (socket) => void socket.once('data', () => socket.end('HTTP/1.1 407 No\r\n\r\n')),
  );
  const seen = await runTest(http, 'https://far.example/', { Proxy: `http://me:sesame@${proxy.target}` });
  const text = `proxy ${proxy.target} does not connect to far.example:443: 407 No: user or password in Proxy are refused`;
  expect(seen).toMatchObject({ code: 8, text });
});

test('a status after a redirect says that there was one', async () => {
  await using server = await serveSite((request, response) =>
    request.url === '/a' ? response.writeHead(302, { Location: '/b' }).end() : response.end('b'),
  );
  const text = 'expected 302, got 200 OK after 1 redirect (MaxRedirects 0 judges the redirect itself)';
  expect(await runTest(http, `${server.url}/a`, { ExpectStatus: ['302'] })).toMatchObject({ code: 7, text });
  expect(await runTest(http, `${server.url}/a`, { ExpectStatus: ['302'], MaxRedirects: 0 })).toMatchObject({
    code: 1,
  });
});

test('a server without HTTP/2 is named as such', async () => {
  await using server = await serveSite(answerWith(200));
  const seen = await runTest(http, server.url, { HTTPVersion: '2' });
  expect(seen.code).toBe(3);
  expect(seen.text).toBe(`127.0.0.1:${server.port} does not answer in HTTP/2 (Protocol error)`);
});

test.each([
  [299, 'secure'],
  [300, 'does not connect to far.example:443: 300 No'],
  [502, 'does not connect to far.example:443: 502 No'],
])('a proxy that answers CONNECT with %i is asked no further, unless it is 2xx', async (status, text) => {
  await using proxy = await listen(
    (socket) => void socket.once('data', () => socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)),
  );
  const seen = await runTest(http, 'https://far.example/', { Proxy: `http://${proxy.target}` });
  if (text === 'secure') expect(seen.text).not.toContain('does not connect');
  else expect(seen).toMatchObject({ code: 3, text: `proxy ${proxy.target} ${text}` });
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['[2001:db8::7]', '2001:db8::7'],
])(
  'the policy decides about the address %s behind a proxy; about names the proxy decides',
  async (host, refused) => {
    await using proxy = await serveSite(answerWith(200));
    const refuse = ({ address }: { address: string }) => (address === refused ? 'not there' : undefined);
    const run = (name: string) =>
      runTest(http, `http://${name}/`, { Proxy: proxy.url }, { policy: { refuse } });
    expect(await run(host)).toMatchObject({ code: 9, text: 'not there' });
    expect(await run('far.example')).toMatchObject({ code: 1 });
  },
);

test('the certificate of a proxy is verified', async () => {
  await using proxy = await startSite(createTlsServer(makeCertificate(), answerWith(200)), 'https');
  expect(await runTest(http, 'http://far.example/', { Proxy: proxy.url })).toMatchObject({
    code: 6,
    text: 'certificate for 127.0.0.1 is self-signed',
  });
});
