import { afterAll, describe, expect, test } from 'vitest';
import { answerWith, runTest, serveSite } from '../../testing/index.ts';
import { createScriptTrial } from '../../testing/script-trial.ts';
import { http } from './http.ts';

const secret = 'sentinel-Sär"7&+/=';
const trial = createScriptTrial();
afterAll(() => trial[Symbol.dispose]());

/** A site that keeps all that it was sent. */
async function listening() {
  const requests: string[] = [];
  const site = await serveSite((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      requests.push(JSON.stringify([request.method, request.headers, body]));
      response.end('here');
    });
  });
  return { site, requests };
}

const encodings: readonly (readonly [string, string])[] = [
  ['as it stands', encodeURI(secret)],
  ['within a text', `key=${encodeURIComponent(secret)};v=1`],
  ['in Base64', Buffer.from(secret).toString('base64')],
  ['in Base64 of something longer', Buffer.from(`user:${secret}`).toString('base64')],
  ['in hex', Buffer.from(secret).toString('hex').toUpperCase()],
];

test.each(encodings)('a secret %s in any header does not follow to another origin', async (_what, value) => {
  const { site, requests } = await listening();
  await using second = site;
  await using first = await serveSite(answerWith(307, '', { Location: `${second.url}/` }));
  const options = { Headers: { 'My-Own': value, Plain: 'kept' } };
  const seen = await runTest(http, first.url, options, { secrets: { own: secret } });
  expect(seen).toMatchObject({ code: 1, extended: { DroppedOnRedirect: ['My-Own'] } });
  expect(requests).toHaveLength(1);
  expect(requests[0]).toContain('kept');
  expect(requests[0]?.toLowerCase()).not.toContain(value.toLowerCase());
});

test('a body with a secret, the login and cookies stay behind, and do not come back with a redirect home', async () => {
  const { site, requests } = await listening();
  await using home = site;
  await using second = await serveSite(answerWith(307, '', { Location: `${home.url}/back` }));
  await using first = await serveSite(answerWith(307, '', { Location: `${second.url}/` }));
  const options = {
    Method: 'POST',
    Body: JSON.stringify({ token: secret }),
    Headers: { Cookie: 'a=b', 'Content-Type': 'application/json' },
    User: 'u',
    Password: 'pass-word',
  };
  const seen = await runTest(http, first.url, options, { secrets: { 'local:own': secret } });
  expect(seen.extended['DroppedOnRedirect']).toEqual(['Authorization', 'Cookie', 'Body']);
  expect(requests).toHaveLength(1);
  expect(requests[0]).not.toMatch(/sentinel|pass|cookie|authorization|application\/json/i);
});

test('within one origin everything follows, and nothing is said', async () => {
  const requests: unknown[] = [];
  await using first = await serveSite((request, response) => {
    requests.push(request.headers['my-own']);
    if (request.url === '/') response.writeHead(307, { Location: '/next' });
    response.end();
  });
  const options = { Headers: { 'My-Own': encodeURIComponent(secret) } };
  const seen = await runTest(http, first.url, options, { secrets: { own: secret } });
  expect(seen.extended).not.toHaveProperty('DroppedOnRedirect');
  expect(requests).toEqual([encodeURIComponent(secret), encodeURIComponent(secret)]);
});

test('the secrets of a script stay with the origin that its call names', async () => {
  const { site, requests } = await listening();
  await using second = site;
  await using first = await serveSite(answerWith(307, '', { Location: `${second.url}/` }));
  const call = `await http({ url: '${first.url}', headers: { 'My-Own': 'x ' + secret('own') } })`;
  const seen = await trial.run(call, { secrets: { own: 'sentinel-plain' } });
  expect(seen, seen.text).toMatchObject({ code: 1 });
  expect(requests).toHaveLength(1);
  expect(requests[0]).not.toContain('sentinel');
});

describe('redirects', () => {
  test.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [302, 'PUT', 'PUT'],
    [303, 'PUT', 'GET'],
    [303, 'HEAD', 'HEAD'],
    [307, 'POST', 'POST'],
    [308, 'PATCH', 'PATCH'],
  ])(
    'by %i turn %s into %s, which has no body then (RFC 9110 section 15.4)',
    async (status, method, expected) => {
      const came: unknown[] = [];
      await using server = await serveSite((request, response) => {
        if (request.url === '/') return void response.writeHead(status, { Location: '/next' }).end();
        let body = '';
        request.on('data', (chunk) => (body += String(chunk)));
        request.on('end', () => {
          const { 'content-type': type, 'x-one': one } = request.headers;
          came.push([request.method, type, one, body]);
          response.end();
        });
      });
      const hasBody = method !== 'HEAD';
      await runTest(http, server.url, {
        Method: method,
        ...(hasBody ? { Body: 'x' } : {}),
        Headers: { 'X-One': '1', 'Content-Type': 'text/plain' },
      });
      const keepsBody = expected === method;
      expect(came).toEqual([
        [expected, keepsBody ? 'text/plain' : undefined, '1', keepsBody && hasBody ? 'x' : ''],
      ]);
    },
  );

  test('are followed up to their number exactly', async () => {
    await using server = await serveSite((request, response) => {
      const step = Number(request.url?.slice(1));
      if (step === 3) response.end();
      else response.writeHead(302, { Location: `/${step + 1}` }).end();
    });
    const { code, extended } = await runTest(http, `${server.url}/0`, { MaxRedirects: 3 });
    expect([code, extended['Hops']]).toMatchObject([1, [{}, {}, {}, { Status: 200 }]]);
    expect(extended).not.toHaveProperty('DroppedOnRedirect');
    expect(await runTest(http, `${server.url}/0`, { MaxRedirects: 2 })).toMatchObject({ code: 3 });
  });

  test('to another origin drop nothing that is no secret, and say so by silence', async () => {
    await using second = await serveSite(answerWith(200));
    await using server = await serveSite(answerWith(302, '', { Location: second.url }));
    const seen = await runTest(http, server.url, { Headers: { 'X-One': '1' } });
    expect(seen).toMatchObject({ code: 1 });
    expect(seen.extended).not.toHaveProperty('DroppedOnRedirect');
  });

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
      extended: { Hops: [{ Status: 302 }] },
    });
    await using file = await serveSite(answerWith(302, '', { Location: 'file:///etc/passwd' }));
    expect(await runTest(http, file.url)).toMatchObject({
      code: 3,
      text: '302 Found to file:///etc/passwd: this is no web address',
    });
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
