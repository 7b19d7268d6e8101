// biome-ignore-all lint/suspicious/noTemplateCurlyInString: steps and references are written so
import type { IncomingMessage, ServerResponse } from 'node:http';
import { advanceUntilEnded, createFakeClock } from '@vantage/kernel/testing';
import { describe, expect, test } from 'vitest';
import { answerWith, runTest, serveDigest, serveSite } from '../../testing/index.ts';
import { http } from './http.ts';

/** A shop: a form with a hidden field sets a cookie, a login gives a token, and the orders want all three. */
function shop(request: IncomingMessage, response: ServerResponse): void {
  let body = '';
  request.on('data', (chunk) => (body += String(chunk)));
  request.on('end', () => {
    const { cookie, authorization } = request.headers;
    switch (request.url) {
      case '/form':
        response.setHeader('Set-Cookie', 'sid=session-1234; Path=/');
        return void response.end('<input name="csrf" value="c&1=">');
      case '/login':
        if (cookie !== 'sid=session-1234' || body !== 'user=me&csrf=c%261%3D')
          return void response.writeHead(403).end(`cookie ${cookie}, body ${body}`);
        response.setHeader('Set-Cookie', 'sid=session-5678; Path=/');
        response.setHeader('Content-Type', 'application/json');
        return void response.end('{"token":"tok-abcdef","next":"/orders?page=2","list":[1,{"a":2}]}');
      case '/orders?page=2':
        if (cookie !== 'sid=session-5678' || authorization !== 'Bearer tok-abcdef')
          return void response.writeHead(401).end(`cookie ${cookie}, authorization ${authorization}`);
        return void response.end('3 orders');
      default:
        return void response.writeHead(404).end(`no ${request.url}`);
    }
  });
}

const shopSteps = [
  {
    Name: 'Form',
    URL: '/form',
    Extract: [
      { Name: 'csrf', Regex: 'name="csrf" value="([^"]+)"' },
      { Name: 'session', Cookie: 'sid' },
    ],
  },
  {
    Name: 'Log in',
    URL: '/login',
    Method: 'POST',
    Headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    Body: 'user=me&csrf=${csrf}',
    ExpectStatus: ['200'],
    Extract: [
      { Name: 'token', JSONPath: '$.token', Secret: true },
      { Name: 'next', JSONPath: '$.next' },
    ],
  },
  {
    Name: 'Orders',
    URL: '${next}',
    Headers: { Authorization: 'Bearer ${token}' },
    ExpectText: '3 orders',
  },
];

describe('steps', () => {
  test('carry values and cookies from one request to the next, and the phases are sums', async () => {
    await using site = await serveSite(shop);
    const seen = await runTest(http, site.url, { Steps: shopSteps });
    expect(seen, seen.text).toMatchObject({ code: 1, text: '200 OK after 3 steps' });
    const steps = seen.extended['Steps'] as readonly Readonly<Record<string, number>>[];
    expect(steps).toMatchObject([
      { Name: 'Form', Method: 'GET', URL: `${site.url}/form`, Status: 200, Result: '200 OK', Good: true },
      { Name: 'Log in', Method: 'POST', Good: true },
      { Name: 'Orders', URL: `${site.url}/orders?page=2`, DataSize: 8, Good: true },
    ]);
    for (const [field, phase] of [
      ['ConnectTime', 'connect'],
      ['TTFB', 'ttfb'],
      ['TTLB', 'ttlb'],
    ] as const) {
      const sum = steps.reduce((all, step) => all + (step[field] ?? 0), 0);
      expect(sum).toBeCloseTo(seen.phases[phase], 1);
    }
  });

  test('end with the first that fails, which the text names', async () => {
    await using site = await serveSite(shop);
    const [form, login, orders] = shopSteps;
    const Steps = [form, { ...login, Body: 'user=me&csrf=' }, orders];
    const seen = await runTest(http, site.url, { Steps });
    expect(seen).toMatchObject({ code: 3, text: 'step 2 (Log in): expected 200, got 403 Forbidden' });
    expect(seen.extended['Steps']).toMatchObject([{ Good: true }, { Good: false, Status: 403 }]);
    expect(seen.extended['Body']).toBe('cookie sid=***, body user=me&csrf=');
  });

  test.each([
    [{ ExpectText: 'mars' }, 7, '"mars" is not in the body'],
    [{ ExpectRegex: '^x' }, 7, '/^x/ does not match the body'],
    [{ ExpectJSONPath: '$.none' }, 7, '$.none finds nothing in the body'],
    [{ ExpectStatus: ['204'] }, 7, 'expected 204, got 200 OK'],
    [{ Extract: [{ Name: 'a', JSONPath: '$.none' }] }, 7, 'no value for a: $.none finds nothing in the body'],
    [{ Extract: [{ Name: 'a', Regex: 'x(y)' }] }, 7, 'no value for a: /x(y)/ does not match the body'],
    [{ Extract: [{ Name: 'a', Header: 'X-A' }] }, 7, 'no value for a: header X-A is missing'],
    [{ Extract: [{ Name: 'a', Cookie: 'c' }] }, 7, 'no value for a: cookie c was not set'],
    [{ Extract: [{ Name: 'a', JSONPath: '$.long' }] }, 7, 'the value for a is longer than 8192 characters'],
  ])('with %j fail: %i', async (step, code, text) => {
    const body = JSON.stringify({ long: 'x'.repeat(9000) });
    await using site = await serveSite(answerWith(200, body));
    const seen = await runTest(http, site.url, { Steps: [{ Name: 'Only', ...step }] });
    expect(seen, seen.text).toMatchObject({ code, text: `step 1 (Only): ${text}` });
  });

  test('take a value that is no text as JSON, and headers and cookies as they are', async () => {
    const urls: (string | undefined)[] = [];
    await using site = await serveSite((request, response) => {
      urls.push(request.url);
      response.setHeader('X-A', 'a b').setHeader('Set-Cookie', 'c=d%20e').end('{"list":[1,{"a":2}],"n":7}');
    });
    await runTest(http, site.url, {
      Steps: [
        {
          Name: 'a',
          Extract: [
            { Name: 'list', JSONPath: '$.list' },
            { Name: 'n', JSONPath: '$.n' },
            { Name: 'head', Header: 'x-a' },
            { Name: 'cook', Cookie: 'c' },
          ],
        },
        { Name: 'b', URL: '/${n}/${list}/${head}?c=${cook}' },
      ],
    });
    expect(urls[1]).toBe('/7/%5B1%2C%7B%22a%22%3A2%7D%5D/a%20b?c=d%2520e');
  });

  test('show no secret: not those of the settings, not the values marked Secret, not the cookies', async () => {
    await using site = await serveSite((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        const all = `${request.url} ${JSON.stringify(request.headers)} ${body}`;
        response.setHeader('Set-Cookie', 'sid=sentinel-cookie');
        response.setHeader('X-All', encodeURIComponent(all));
        response.end(request.url === '/a' ? '{"t":"sentinel-value"}' : all);
      });
    });
    const seen = await runTest(
      http,
      site.url,
      {
        Token: 'sentinel-token',
        Steps: [
          {
            Name: 'a',
            URL: '/a',
            Method: 'POST',
            Headers: { 'X-Api-Key': 'sentinel-key' },
            Body: 'p=sentinel-kept',
            Extract: [{ Name: 't', JSONPath: '$.t', Secret: true }],
          },
          {
            Name: 'b',
            URL: '/b/${t}',
            Headers: { 'X-T': '${t}' },
            Body: '${t}',
            Method: 'PUT',
            ExpectText: 'nothing',
          },
        ],
      },
      { secrets: { KEPT: 'sentinel-kept' } },
    );
    expect(seen).toMatchObject({ code: 7 });
    expect(JSON.stringify(seen)).not.toContain('sentinel');
    expect(seen.extended['Steps']).toMatchObject([{}, { URL: `${site.url}/b/***` }]);
  });

  test('end at the timeout of the whole check, and the text names the step', async () => {
    let asked: () => void = () => {};
    const second = new Promise<void>((resolve) => {
      asked = resolve;
    });
    await using site = await serveSite((request, response) => {
      if (request.url === '/slow') asked();
      else response.end('in');
    });
    const clock = createFakeClock();
    const options = { Steps: [{ Name: 'fast' }, { Name: 'slow', URL: '/slow' }, { Name: 'never' }] };
    const running = runTest(http, site.url, options, { timeoutMs: 3000, clock });
    await second;
    const seen = await advanceUntilEnded(clock, 100, running);
    expect(seen).toMatchObject({ code: 2 });
    expect(seen.text).toMatch(/^step 2 \(slow\): no answer from 127\.0\.0\.1:\d+ within 3 s/);
    expect(seen.extended['Steps']).toMatchObject([{ Good: true }, { Name: 'slow', Good: false }]);
  });

  test.each([
    [{ Name: 'a', MaxTimeMs: 20 }, {}, /^step 1 \(a\): took \d+ ms, at most 20 ms are expected$/],
    [{ Name: 'a' }, { MaxTimeMs: 20 }, /^all steps took \d+ ms, at most 20 ms are expected$/],
  ])('%j with %j have their own time', async (step, options, text) => {
    await using site = await serveSite((_request, response) => void setTimeout(() => response.end(), 60));
    const seen = await runTest(http, site.url, { ...options, Steps: [step] });
    expect(seen).toMatchObject({ code: 7, text: expect.stringMatching(text) });
  });

  test('of a hostile server end: patterns that run away, floods of cookies and of challenges', async () => {
    const cookies = Array.from({ length: 300 }, (_, at) => `c${at}=${'x'.repeat(150)}`);
    const challenges = `Digest nonce="n", realm="${'r'.repeat(40)}", stale=true, `.repeat(150);
    const sent: number[] = [];
    await using site = await serveSite((request, response) => {
      sent.push((request.headers.cookie ?? '').length);
      response.setHeader('Set-Cookie', cookies);
      if (request.url === '/login') response.writeHead(401, { 'WWW-Authenticate': challenges });
      response.end(`${'a'.repeat(5000)}!`);
    });
    const runaway = { Name: 'a', Extract: [{ Name: 'x', Regex: '((?:a+)+)b' }] };
    const stopped = await runTest(http, site.url, { Steps: [runaway] }, { timeoutMs: 20_000 });
    expect(stopped).toMatchObject({ code: 7, text: expect.stringContaining('takes too long on this body') });
    const login = { Auth: 'Digest', User: 'u', Password: 'password-1' };
    const Steps = [{ Name: 'a' }, { Name: 'b', URL: '/login' }];
    const refused = await runTest(http, site.url, { ...login, Steps });
    expect(refused).toMatchObject({ code: 8, text: expect.stringMatching(/^step 2 \(b\): 401/) });
    expect(sent.length).toBeLessThanOrEqual(6);
    expect(Math.max(...sent)).toBeGreaterThan(1000);
    expect(Math.max(...sent)).toBeLessThanOrEqual(16 * 1024);
  });

  test('to a place that the policy forbids are 9', async () => {
    await using inner = await serveSite(answerWith(200, 'inner'));
    await using site = await serveSite(answerWith(200, inner.url));
    const policy = {
      refuse: ({ port }: { readonly port: number }) => (port === inner.port ? 'not this port' : undefined),
    };
    const Steps = [
      { Name: 'a', Extract: [{ Name: 'to', Regex: '(.+)' }] },
      { Name: 'b', URL: '${to}' },
    ];
    const seen = await runTest(http, site.url, { Steps }, { policy });
    expect(seen).toMatchObject({ code: 9, text: 'step 2 (b): not this port' });
  });

  test('share a Digest login and its nonce', async () => {
    await using site = await serveDigest();
    const login = { Auth: 'Digest', User: 'Mufasa', Password: 'Circle of Life' };
    const seen = await runTest(http, site.url, {
      ...login,
      Steps: [{ Name: 'a' }, { Name: 'b', URL: '/b' }],
    });
    expect(seen, seen.text).toMatchObject({ code: 1 });
    expect(site.seen).toEqual(['asked', 'in', 'in']);
    expect(seen.extended['Steps']).toMatchObject([{ Hops: [{ Status: 401 }, { Status: 200 }] }, {}]);
    expect(seen.extended).not.toHaveProperty('Hops');
  });

  test('give a script the answer of the last one', async () => {
    await using site = await serveSite(answerWith(201, 'made'));
    const parsed = http.parseTarget(site.url);
    expect(parsed.ok).toBe(true);
    const seen = await runTest(http, site.url, { Steps: [{ Name: 'a' }] });
    expect(seen).toMatchObject({ code: 1, text: '201 Created after 1 step' });
  });
});

/** A site that keeps what it was sent. */
async function listening() {
  const requests: string[] = [];
  const site = await serveSite((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      requests.push(`${request.url} ${JSON.stringify(request.headers)} ${body}`);
      response.setHeader('X-Answer', 'yes').end('answer');
    });
  });
  return { site, requests };
}

describe('the credentials of steps', () => {
  const options = {
    User: 'u',
    Password: 'outer-pass',
    Headers: { 'X-Outer-Key': 'outer-secret', 'X-Plain': 'plain' },
  };

  test('those of the Options stay at the address of the device', async () => {
    const { site, requests } = await listening();
    await using other = site;
    await using first = await serveSite(answerWith(200));
    const step = { Name: 'a', URL: `${other.url}/x`, Headers: { 'X-Step-Key': 'step-key' } };
    const seen = await runTest(http, first.url, { ...options, Steps: [step] });
    expect(seen).toMatchObject({ code: 1 });
    expect(requests).toHaveLength(1);
    expect(requests[0]).toContain('step-key');
    expect(requests[0]).toContain('plain');
    expect(requests[0]).not.toMatch(/outer|authorization/i);
    expect(seen.extended['Steps']).toMatchObject([{ Dropped: ['Authorization', 'X-Outer-Key'] }]);
  });

  test('a step whose address an answer names gets no secret at all', async () => {
    const { site, requests } = await listening();
    await using evil = site;
    await using first = await serveSite(answerWith(200, `${evil.url}/x`));
    const Steps = [
      {
        Name: 'a',
        Extract: [
          { Name: 'to', Regex: '(http.*)' },
          { Name: 'port', Regex: ':(\\d+)/', Secret: true },
        ],
      },
      {
        Name: 'b',
        URL: '${to}',
        Method: 'POST',
        Headers: { Authorization: 'Bearer ${port}', 'X-Own': 'it is ${port}', 'X-Free': 'free' },
        Body: 'kept-secret',
      },
    ];
    const seen = await runTest(http, first.url, { ...options, Steps }, { secrets: { KEPT: 'kept-secret' } });
    expect(seen).toMatchObject({ code: 1 });
    expect(requests).toHaveLength(1);
    expect(requests[0]).toContain('free');
    expect(requests[0]).not.toMatch(/outer|authorization|kept|it is/i);
  });

  test('a redirect takes none to another origin', async () => {
    const { site, requests } = await listening();
    await using evil = site;
    await using first = await serveSite(answerWith(307, '', { Location: evil.url }));
    const step = { Name: 'a', Headers: { Authorization: 'Bearer step-token', 'X-Free': 'free' } };
    const seen = await runTest(http, first.url, { ...options, Steps: [step] });
    expect(requests).toHaveLength(1);
    expect(requests[0]).toContain('free');
    expect(requests[0]).not.toMatch(/outer|step-token/);
    expect(seen.extended['Steps']).toMatchObject([{ DroppedOnRedirect: ['X-Outer-Key', 'Authorization'] }]);
  });

  test('cookies go to the host that set them', async () => {
    const { site, requests } = await listening();
    await using other = site;
    await using first = await serveSite(answerWith(200, '', { 'Set-Cookie': 'sid=1; Path=/' }));
    const elsewhere = `http://localhost:${other.port}/`;
    await runTest(http, first.url, {
      IPFamily: '4',
      Steps: [{ Name: 'a' }, { Name: 'b', URL: `${other.url}/` }, { Name: 'c', URL: elsewhere }],
    });
    expect(requests[0]).toContain('sid=1');
    expect(requests[1] ?? '').not.toContain('sid');
  });
});
