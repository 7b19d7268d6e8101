// biome-ignore-all lint/suspicious/noTemplateCurlyInString: steps and references are written so
import { gzipSync } from 'node:zlib';
import { retryBecause } from '@vantage/testing/retry';
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

describe('with steps', () =>
  probeContract({
    probe: http,
    serverFirst: false,
    url: (port) => `http://127.0.0.1:${port}/`,
    options: {
      Steps: [
        { Name: 'first', Extract: [{ Name: 'word', Regex: '(h[a-z]+)' }] },
        { Name: 'second', URL: '/${word}', ExpectText: 'hello' },
      ],
    },
    failureStart: 'step 1 (first): ',
    serve: (socket) => void socket.once('data', () => socket.write(ok)),
    withSecret: (port, secret) => ({
      url: `http://127.0.0.1:${port}/`,
      options: {
        Auth: 'Bearer',
        Token: 'sentinel-token',
        Steps: [
          {
            Name: 'first',
            Headers: { 'X-Api-Key': secret, Cookie: 'a=sentinel-cookie' },
            Extract: [{ Name: 'all', Regex: '([^]*)', Secret: true }],
          },
        ],
      },
    }),
  }));

describe('HTTP', () => {
  test('a page is good, and its phases and facts are reported', async () => {
    await using server = await serveSite(answerWith(200, 'hello'));
    const seen = await runTest(http, `${server.url}/page?q=1#top`);
    expect(seen).toMatchObject({ code: 1, text: '200 OK', dataSize: 5 });
    expect(seen.extended).toMatchObject({ Status: 200, Version: 'HTTP/1.1', URL: `${server.url}/page?q=1` });
    expect(seen.extended).not.toHaveProperty('Body');
    expect(seen.extended).not.toHaveProperty('Hops');
  });

  test(
    'first byte and last byte are timed apart, as the server itself stamps them',
    retryBecause('it measures time', 4),
    async () => {
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
    },
  );

  test.each([
    [399, {}, 1, '399 unknown'],
    [400, {}, 3, '400 Bad Request'],
    [400, { ExpectStatus: ['200'] }, 3, 'expected 200, got 400 Bad Request'],
    [299, { ExpectStatus: ['404', '200-299'] }, 1, '299 unknown'],
    [300, { ExpectStatus: ['200-299'] }, 7, 'expected 200-299, got 300 Multiple Choices'],
    [302, {}, 1, '302 Found'],
    [407, {}, 3, '407 Proxy Authentication Required'],
    [404, { User: 'u', Password: 'sesame' }, 3, '404 Not Found'],
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

  test('each header is sent once: the own one, else the standard one, and an empty Host stays empty', async () => {
    const sent: string[][] = [];
    await using server = await serveSite((request, response) => {
      const names = ['user-agent', 'accept', 'accept-encoding', 'host'];
      const { rawHeaders } = request;
      sent.push(
        rawHeaders.flatMap((name, at) =>
          at % 2 === 0 && names.includes(name.toLowerCase())
            ? `${name.toLowerCase()}=${rawHeaders[at + 1]}`
            : [],
        ),
      );
      response.end();
    });
    await runTest(http, server.url);
    await runTest(http, server.url, {
      Headers: { 'user-agent': 'mine', ACCEPT: 'text/plain', 'Accept-encoding': 'br', host: '' },
    });
    const host = `host=127.0.0.1:${server.port}`;
    expect(sent.map((each) => each.toSorted())).toEqual([
      ['accept-encoding=gzip, deflate, br, zstd', 'accept=*/*', host, 'user-agent=Vantage'],
      ['accept-encoding=br', 'accept=text/plain', 'host=', 'user-agent=mine'],
    ]);
  });
});
