import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { answerWith, probeContract, runTest, serveSite } from '../../testing/index.ts';
import { http } from './http.ts';

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

describe('HTTP', () => {
  test('a page is good, and its phases and facts are reported', async () => {
    await using server = await serveSite(answerWith(200, 'hello'));
    const seen = await runTest(http, `${server.url}/page?q=1#top`);
    expect(seen).toMatchObject({ code: 1, text: '200 OK', dataSize: 5 });
    expect(seen.extended).toMatchObject({ Status: 200, Version: 'HTTP/1.1', URL: `${server.url}/page?q=1` });
    expect(seen.extended).not.toHaveProperty('Body');
  });

  test('first byte and last byte are timed apart, as the server itself stamps them', async () => {
    const stamps: number[] = [];
    const stamp = () => void stamps.push(performance.now());
    await using server = await serveSite((_request, response) => {
      stamp();
      setTimeout(() => {
        response.write('a');
        stamp();
      }, 50);
      setTimeout(() => {
        response.end('b');
        stamp();
      }, 150);
    });
    const { phases } = await runTest(http, server.url);
    const [came = 0, first = 0, last = 0] = stamps;
    expect(Math.abs(phases.ttfb - (first - came))).toBeLessThan(25);
    expect(Math.abs(phases.ttlb - (last - first))).toBeLessThan(25);
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
    await using server = await serveSite(answerWith(status, status === 204 ? '' : 'why'));
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
    await using server = await serveSite(answerWith(200, 'hello wörld', { 'X-Kind': 'plant' }));
    const seen = await runTest(http, server.url, options);
    expect(seen, seen.text).toMatchObject({ code });
  });

  test('a digest is that of the decompressed body', async () => {
    await using server = await serveSite(answerWith(200, gzipSync('hello'), { 'Content-Encoding': 'gzip' }));
    const ExpectSHA256 = '2CF24DBA5FB0A30E26E83B2AC5B9E29E1B161E5C1FA7425E73043362938B9824';
    expect(await runTest(http, server.url, { ExpectSHA256 })).toMatchObject({ code: 1 });
  });

  test('slower than MaxTimeMs is 7 and says so', async () => {
    await using server = await serveSite((_request, response) => void setTimeout(() => response.end(), 60));
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
    await using server = await serveSite(
      answerWith(200, '{"state":"up","flag":true,"list":[{"id":1},{"id":2}]}'),
    );
    const seen = await runTest(http, server.url, {
      ExpectJSONPath,
      ...(ExpectJSONValue && { ExpectJSONValue }),
    });
    expect(seen, seen.text).toMatchObject({ code });
  });

  test('method, headers, body and Basic authentication arrive', async () => {
    await using server = await serveSite((request, response) => {
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
      await using server = await serveSite((request, response) =>
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
      await using server = await serveSite(answerWith(302, '', { Location: '/' }));
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
      await using inner = await serveSite(answerWith(200, 'secret'));
      await using server = await serveSite(answerWith(302, '', { Location: inner.url }));
      const policy = {
        refuse: ({ port }: { port: number }) => (port === inner.port ? 'not this port' : undefined),
      };
      expect(await runTest(http, server.url, {}, { policy })).toMatchObject({
        code: 9,
        text: 'not this port',
      });
      await using file = await serveSite(answerWith(302, '', { Location: 'file:///etc/passwd' }));
      expect(await runTest(http, file.url)).toMatchObject({ code: 3 });
    });

    test('to another origin lose the login, a POST becomes a GET', async () => {
      const requests: string[] = [];
      await using second = await serveSite((request, response) => {
        requests.push(
          `${request.method} ${request.headers.authorization ?? 'none'} ${String(request.headers['x-one'] ?? 'none')}`,
        );
        response.end();
      });
      await using server = await serveSite(answerWith(302, '', { Location: `${second.url}/` }));
      await runTest(http, server.url, {
        Method: 'POST',
        Body: 'x',
        User: 'u',
        Password: 'pass',
        Headers: { 'X-One': '1' },
      });
      expect(requests).toEqual(['GET none 1']);
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
    'http://x:0/',
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
