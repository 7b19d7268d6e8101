import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createSecureServer, createServer as createServer2 } from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import { connect, type Server, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { http } from './http.ts';
import { addressOf, listen, makeCertificate, probeContract, runTest } from './testing/index.ts';

const ok = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello';

probeContract({
  probe: http,
  serverFirst: false,
  url: (port) => `http://127.0.0.1:${port}/`,
  serve: (socket) => void socket.once('data', () => socket.write(ok)),
  withSecret: (port, secret) => ({
    url: `http://user:${encodeURIComponent(secret)}@127.0.0.1:${port}/?q=1`,
    options: { Password: secret, Headers: { 'X-Api-Key': 'sentinel-key' } },
  }),
});

interface Site extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
}

async function started(server: Server, scheme: string): Promise<Site> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = addressOf(server.address());
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const site = (serve: RequestListener) => started(createServer(serve), 'http');
const answer =
  (status: number, body: string | Buffer = '', headers: Record<string, string> = {}) =>
  (_request: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(status, headers).end(body);

describe('HTTP', () => {
  test('a page is good, its phases and facts are told', async () => {
    await using server = await site(answer(200, 'hello'));
    const seen = await runTest(http, `${server.url}/page?q=1#top`);
    expect(seen).toMatchObject({ code: 1, text: '200 OK', dataSize: 5 });
    expect(seen.extended).toMatchObject({ Status: 200, Version: 'HTTP/1.1', URL: `${server.url}/page?q=1` });
    expect(seen.extended).not.toHaveProperty('Body');
  });

  test('first byte and last byte are timed apart', async () => {
    await using server = await site((_request, response) => {
      setTimeout(() => response.write('a'), 50);
      setTimeout(() => response.end('b'), 150);
    });
    const { phases } = await runTest(http, server.url);
    expect(phases.ttfb).toBeGreaterThan(45);
    expect(phases.ttfb).toBeLessThan(75);
    expect(phases.ttlb).toBeGreaterThan(90);
    expect(phases.ttlb).toBeLessThan(130);
  });

  test.each([
    [404, {}, 3, '404 Not Found'],
    [503, {}, 3, '503 Service Unavailable'],
    [404, { ExpectStatus: ['404'] }, 1, '404 Not Found'],
    [204, { ExpectStatus: ['200'] }, 7, 'expected 200, got 204 No Content'],
    [500, { ExpectStatus: ['200-299'] }, 3, 'expected 200-299, got 500 Internal Server Error'],
    [401, { User: 'u', Password: 'sesame' }, 8, '401 Unauthorized: user or password are refused'],
    [401, {}, 3, '401 Unauthorized'],
  ])('status %i with %o is %i', async (status, options, code, text) => {
    await using server = await site(answer(status, status === 204 ? '' : 'why'));
    const seen = await runTest(http, server.url, options);
    expect(seen).toMatchObject({ code, text });
    if (code !== 1 && status !== 204)
      expect(seen.extended).toMatchObject({ Body: 'why', Headers: { connection: 'close' } });
  });

  test.each([
    [{ ExpectText: 'wörld' }, 1],
    [{ ExpectText: 'mars' }, 7],
    [{ RejectText: 'wörld' }, 7],
    [{ ExpectRegex: 'h.*wörld' }, 1],
    [{ ExpectRegex: '^x' }, 7],
    [{ ExpectHeaders: { 'X-Kind': 'plan' } }, 1],
    [{ ExpectHeaders: { 'X-Kind': 'b' } }, 7],
    [{ ExpectHeaders: { 'X-None': '' } }, 7],
    [{ MinSize: 12 }, 1],
    [{ MinSize: 13 }, 7],
    [{ MaxSize: 11 }, 7],
    [{ MaxSize: 12 }, 1],
    [{ ExpectSHA256: '4d7d0d2e5ac9f43ca5b76b1d0bd10d08b1ed0d3ec6c4a4bcbeb2f8dbd4e51d9c' }, 7],
    [{ MaxTimeMs: 60_000 }, 1],
  ])('the expectation %o is %i', async (options, code) => {
    await using server = await site(answer(200, 'hello wörld', { 'X-Kind': 'plant' }));
    const seen = await runTest(http, server.url, options);
    expect(seen, seen.text).toMatchObject({ code });
  });

  test('a digest is that of the decompressed body', async () => {
    await using server = await site(answer(200, gzipSync('hello'), { 'Content-Encoding': 'gzip' }));
    const ExpectSHA256 = '2CF24DBA5FB0A30E26E83B2AC5B9E29E1B161E5C1FA7425E73043362938B9824';
    expect(await runTest(http, server.url, { ExpectSHA256 })).toMatchObject({ code: 1 });
  });

  test('slower than MaxTimeMs is 7 and says so', async () => {
    await using server = await site((_request, response) => void setTimeout(() => response.end(), 60));
    const seen = await runTest(http, server.url, { MaxTimeMs: 20 });
    expect(seen).toMatchObject({ code: 7 });
    expect(seen.text).toMatch(/^took \d+ ms, at most 20 ms are expected$/);
  });

  test.each([
    ['$.state', 'up', 1],
    ['$.state', 'down', 7],
    ['$.list[*].id', '2', 1],
    ['$.none', undefined, 7],
    ['$..id', undefined, 1],
    ['$.flag', 'true', 1],
  ])('JSONPath %s = %s is %i', async (ExpectJSONPath, ExpectJSONValue, code) => {
    await using server = await site(answer(200, '{"state":"up","flag":true,"list":[{"id":1},{"id":2}]}'));
    const seen = await runTest(http, server.url, {
      ExpectJSONPath,
      ...(ExpectJSONValue && { ExpectJSONValue }),
    });
    expect(seen, seen.text).toMatchObject({ code });
  });

  test.each([
    ['gzip', gzipSync('hello')],
    ['deflate', deflateSync('hello')],
    ['br', brotliCompressSync('hello')],
  ])('a body in %s is read', async (encoding, body) => {
    await using server = await site(answer(200, body, { 'Content-Encoding': encoding }));
    const seen = await runTest(http, server.url, { ExpectText: 'hello' });
    expect(seen).toMatchObject({
      code: 1,
      dataSize: body.length,
      extended: { Encoding: encoding, BodySize: 5 },
    });
  });

  test('a damaged compressed body is 3', async () => {
    await using server = await site(answer(200, 'no gzip', { 'Content-Encoding': 'gzip' }));
    expect(await runTest(http, server.url)).toMatchObject({ code: 3 });
  });

  test('method, headers, body and Basic authentication arrive', async () => {
    await using server = await site((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        const { authorization, host, 'x-one': one } = request.headers;
        response.end(JSON.stringify({ method: request.method, authorization, host, one, body }));
      });
    });
    const seen = await runTest(http, server.url.replace('//', '//us:pa%20ss@'), {
      Method: 'PUT',
      Headers: { 'X-One': '1', Host: 'virtual.example' },
      Body: 'bödy',
      ExpectText: `{"method":"PUT","authorization":"Basic ${Buffer.from('us:pa ss').toString('base64')}","host":"virtual.example","one":"1","body":"bödy"}`,
    });
    expect(seen, seen.text).toMatchObject({ code: 1 });
  });

  describe('redirects', () => {
    test('are followed, each hop with its phases', async () => {
      await using server = await site((request, response) =>
        request.url === '/'
          ? void response.writeHead(302, { Location: '/next?a=1' }).end()
          : void response.end('there'),
      );
      const seen = await runTest(http, server.url, { ExpectText: 'there' });
      expect(seen).toMatchObject({ code: 1, text: '200 OK' });
      expect(seen.extended['Hops']).toMatchObject([
        { Status: 302 },
        { URL: `${server.url}/next?a=1`, Status: 200 },
      ]);
      const hops = seen.extended['Hops'];
      const sum = (hops as readonly { ConnectTime: number }[]).reduce(
        (all, { ConnectTime }) => all + ConnectTime,
        0,
      );
      expect(sum).toBeCloseTo(seen.phases.connect, 1);
    });

    test('are the answer when none may be followed, and 3 when there are too many', async () => {
      await using server = await site(answer(302, '', { Location: '/' }));
      expect(await runTest(http, server.url, { MaxRedirects: 0 })).toMatchObject({
        code: 1,
        text: '302 Found',
      });
      expect(await runTest(http, server.url, { MaxRedirects: 3 })).toMatchObject({
        code: 3,
        text: `more than 3 redirects, the last to ${server.url}/`,
      });
    });

    test('to a place that the policy forbids is 9, and to no web address 3', async () => {
      await using inner = await site(answer(200, 'secret'));
      await using server = await site(answer(302, '', { Location: inner.url }));
      const policy = {
        refuse: ({ port }: { port: number }) => (port === inner.port ? 'not this port' : undefined),
      };
      expect(await runTest(http, server.url, {}, { policy })).toMatchObject({
        code: 9,
        text: 'not this port',
      });
      await using file = await site(answer(302, '', { Location: 'file:///etc/passwd' }));
      expect(await runTest(http, file.url)).toMatchObject({ code: 3 });
    });

    test('to another origin lose the login, a POST becomes a GET', async () => {
      const told: string[] = [];
      await using second = await site((request, response) => {
        told.push(
          `${request.method} ${request.headers.authorization ?? 'none'} ${request.headers['x-one'] ?? 'none'}`,
        );
        response.end();
      });
      await using server = await site(answer(302, '', { Location: `${second.url}/` }));
      await runTest(http, server.url, {
        Method: 'POST',
        Body: 'x',
        User: 'u',
        Password: 'pass',
        Headers: { 'X-One': '1' },
      });
      expect(told).toEqual(['GET none 1']);
    });
  });

  describe('TLS', () => {
    const certificate = makeCertificate();
    const CA = certificate.cert;
    const secure = (from: { cert: string; key: string }, options = {}) =>
      started(createTlsServer({ cert: from.cert, key: from.key, ...options }, answer(200, 'hello')), 'https');

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
      await using server = await site(answer(200));
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
        (_request, response) => {
          response.writeHead(200, { 'x-kind': 'two' });
          response.end('hello');
        },
      );
      await using server = await started(both, 'https');
      const look = (options: object) =>
        runTest(http, server.url, { TLS: { CA }, ExpectText: 'hello', ...options });
      expect(await look({})).toMatchObject({
        code: 1,
        text: '200 OK',
        dataSize: 5,
        extended: { Version: 'HTTP/2' },
      });
      expect(await look({ HTTPVersion: '1.1' })).toMatchObject({
        code: 1,
        extended: { Version: 'HTTP/1.1' },
      });
      expect(await look({ Method: 'POST', Body: 'x', ExpectHeaders: { 'X-Kind': 'two' } })).toMatchObject({
        code: 1,
      });
      await using plain = await secure(certificate);
      expect(await runTest(http, plain.url, { TLS: { CA }, HTTPVersion: '2' })).toMatchObject({ code: 6 });
      await using clear = await started(
        createServer2((_request, response) => void response.end('hello')),
        'http',
      );
      expect(await runTest(http, clear.url, { HTTPVersion: '2' })).toMatchObject({
        code: 1,
        extended: { Version: 'HTTP/2' },
      });
    });
  });

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
    await using proxy = await started(server, 'http');
    await using secure = await started(createTlsServer(certificate, answer(200, 'hello')), 'https');
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

  describe('hostile servers', () => {
    const hostile = (serve: (socket: Socket) => void) =>
      listen((socket) => void socket.once('data', () => serve(socket)));
    const forever = (socket: Socket, piece: string | Buffer) => {
      const more = () => {
        while (!socket.destroyed && socket.write(piece));
      };
      socket.on('drain', more);
      more();
    };

    test('endless headers end at once', async () => {
      await using server = await hostile((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        forever(socket, `X-More: ${'x'.repeat(1000)}\r\n`);
      });
      const seen = await runTest(http, `http://${server.target}/`, {}, { timeoutMs: 2000 });
      expect(seen).toMatchObject({ code: 3, text: `${server.target} sends more than 64 KiB of headers` });
    });

    test('an endless body ends at its bound or the timeout, in little memory', async () => {
      await using server = await hostile((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        forever(socket, Buffer.alloc(65_536, 120));
      });
      const before = process.memoryUsage().rss;
      const seen = await runTest(http, `http://${server.target}/`, {}, { timeoutMs: 2000 });
      expect(seen.code).toBe(7);
      expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
    });

    test('a gzip bomb is given up', async () => {
      const bomb = gzipSync(Buffer.alloc(80 * 1024 * 1024), { level: 9 });
      await using server = await hostile((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`);
        socket.write(bomb);
      });
      const seen = await runTest(http, `http://${server.target}/`, {}, { timeoutMs: 10_000 });
      expect(seen).toMatchObject({
        code: 7,
        text: 'body has more than 16777216 bytes: the rest was not read',
      });
    });

    test('a body that breaks off is 3', async () => {
      await using server = await hostile(
        (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf'),
      );
      const seen = await runTest(http, `http://${server.target}/`);
      expect(seen).toMatchObject({
        code: 3,
        text: `${server.target} closed the connection before its answer was complete`,
      });
    });

    test('a password that the server sends back is masked', async () => {
      await using server = await site((request, response) => {
        response
          .writeHead(500, { 'X-Echo': request.headers.authorization ?? '' })
          .end('your password is sesame');
      });
      const seen = await runTest(http, server.url, { User: 'u', Password: 'sesame' });
      expect(seen.extended).toMatchObject({ Body: 'your password is ***' });
      expect(JSON.stringify(seen)).not.toContain(Buffer.from('u:sesame').toString('base64'));
    });
  });

  test.each([
    '',
    'example.org',
    'ftp://x.example',
    'http://',
    'http://-x.example/',
    'http://x y/',
    'http://%zz@x/',
    'https:///x',
  ])('refuses the URL %j', (url) => expect(http.parseTarget(url).ok).toBe(false));

  test.each([
    [{ Header: {} }],
    [{ Headers: { 'a b': 'x' } }],
    [{ Headers: { a: 'x\r\ny: z' } }],
    [{ Headers: { 'content-length': '1' } }],
    [{ ExpectRegex: '(' }],
    [{ ExpectJSONPath: '$[?(@.a)]' }],
    [{ ExpectStatus: ['2xx'] }],
    [{ Proxy: 'socks://x' }],
    [{ MaxRedirects: '5' }],
  ])('refuses the Options %o', (options) => expect(http.options.safeParse(options).success).toBe(false));
});
