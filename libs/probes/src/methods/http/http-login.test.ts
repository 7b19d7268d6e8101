import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { answerWith, runTest, serveDigest, serveSite } from '../../testing/index.ts';
import { http } from './http.ts';

const login = { User: 'Mufasa', Password: 'Circle of Life' };
const digest = { Auth: 'Digest', ...login };

const kinds = [
  {},
  { algorithm: 'MD5' },
  { algorithm: 'MD5-sess' },
  { algorithm: 'SHA-256' },
  { algorithm: 'SHA-256-sess' },
  { qop: '' },
  { algorithm: 'SHA-256', qop: 'auth-int, auth' },
];

describe('a Digest login', () => {
  test.each([...kinds, { userhash: true, algorithm: 'SHA-256' }])('%o takes two requests', async (kind) => {
    await using site = await serveDigest(kind);
    const seen = await runTest(http, `${site.url}/a%20b?c="d"`, { ...digest, ExpectText: 'in' });
    expect(seen, seen.text).toMatchObject({ code: 1, text: '200 OK', dataSize: 2 });
    expect(site.seen).toEqual(['asked', 'in']);
    expect(seen.extended['Hops']).toMatchObject([{ Status: 401 }, { Status: 200 }]);
    const hops = seen.extended['Hops'] as readonly { readonly TTFB: number }[];
    expect(hops.reduce((sum, { TTFB }) => sum + TTFB, 0)).toBeCloseTo(seen.phases.ttfb, 1);
  });

  const curl = spawnSync('curl', ['--version']).error ? 'the program curl is not installed' : undefined;

  test.for(kinds)('%o is what curl sends, too', async (kind, { skip }) => {
    skip(curl !== undefined, curl);
    await using site = await serveDigest(kind);
    const url = `${site.url}/a%20b?c=d`;
    const args = ['-s', '--digest', '-u', `${login.User}:${login.Password}`, url];
    const { stdout } = await promisify(execFile)('curl', args);
    expect(stdout).toBe('in');
    const seen = await runTest(http, url, digest);
    expect(seen).toMatchObject({ code: 1 });
    expect(site.seen).toEqual(['asked', 'in', 'asked', 'in']);
  });

  test('by the URL has the same login', async () => {
    await using site = await serveDigest();
    const url = site.url.replace('//', '//Mufasa:Circle%20of%20Life@');
    expect(await runTest(http, url, { Auth: 'Digest' })).toMatchObject({ code: 1 });
  });

  test('that is refused is 8, after two requests', async () => {
    await using site = await serveDigest();
    const seen = await runTest(http, site.url, { ...digest, Password: 'wrong-one' });
    expect(seen).toMatchObject({ code: 8, text: '401 Unauthorized: user or password are refused' });
    expect(site.seen).toEqual(['asked', 'wrong']);
    expect(JSON.stringify(seen)).not.toContain('wrong-one');
  });

  test('uses one nonce for all redirects of a check', async () => {
    await using site = await serveDigest({
      serve: ({ url = '' }, response) => {
        const step = Number(url.slice(1));
        if (step === 3) response.end('there');
        else response.writeHead(302, { Location: `/${step + 1}` }).end();
      },
    });
    const seen = await runTest(http, `${site.url}/0`, { ...digest, MaxRedirects: 3, ExpectText: 'there' });
    expect(seen, seen.text).toMatchObject({ code: 1 });
    expect(site.seen).toEqual(['asked', 'in', 'in', 'in', 'in']);
  });

  test('with a stale nonce is sent once more with the new one', async () => {
    await using site = await serveDigest({
      nonceUses: 1,
      serve: ({ url }, response) => {
        if (url === '/next') response.end('there');
        else response.writeHead(302, { Location: '/next' }).end();
      },
    });
    const seen = await runTest(http, `${site.url}/`, { ...digest, ExpectText: 'there' });
    expect(seen, seen.text).toMatchObject({ code: 1 });
    expect(site.seen).toEqual(['asked', 'in', 'stale', 'in']);
  });

  test('with nonces that are always stale ends', async () => {
    let requests = 0;
    await using site = await serveSite((_request, response) => {
      requests += 1;
      const challenge = `Digest realm="r", nonce="${requests}", qop="auth", stale=true`;
      response.writeHead(401, { 'WWW-Authenticate': challenge }).end();
    });
    expect(await runTest(http, site.url, digest)).toMatchObject({ code: 8 });
    expect(requests).toBeLessThanOrEqual(4);
  });

  test('sends the body again', async () => {
    const bodies: string[] = [];
    await using site = await serveDigest({
      serve: (request, response) => {
        request.on('data', (chunk) => bodies.push(String(chunk)));
        request.on('end', () => response.end());
      },
    });
    await runTest(http, site.url, { ...digest, Method: 'POST', Body: 'x=1' });
    expect(bodies).toEqual(['x=1']);
  });

  test('stays at its origin, and does not come back with a redirect home', async () => {
    const sent: (string | undefined)[] = [];
    await using other = await serveSite((request, response) => {
      sent.push(request.headers.authorization);
      const challenge = 'Digest realm="evil", nonce="n", qop="auth"';
      response.writeHead(401, { 'WWW-Authenticate': challenge }).end();
    });
    await using site = await serveDigest({
      serve: (_request, response) => void response.writeHead(302, { Location: other.url }).end(),
    });
    const seen = await runTest(http, site.url, digest);
    expect(seen).toMatchObject({ code: 8, extended: { DroppedOnRedirect: ['Authorization'] } });
    expect(sent).toEqual([undefined]);
  });

  test.each([
    ['Basic realm="a"', '401 Unauthorized: the server offers no Digest login, but basic'],
    [
      'Digest realm="a", nonce="n", algorithm=SHA-512-256',
      '401 Unauthorized: the server wants Digest with SHA-512-256; this agent knows MD5, MD5-sess, SHA-256 and SHA-256-sess',
    ],
  ])('for the challenge %s is impossible, and says why', async (challenge, text) => {
    let authorization: string | undefined;
    await using site = await serveSite((request, response) => {
      authorization = request.headers.authorization;
      response.writeHead(401, { 'WWW-Authenticate': challenge }).end();
    });
    expect(await runTest(http, site.url, digest)).toMatchObject({ code: 8, text });
    expect(authorization).toBeUndefined();
  });

  test('hides what proves the password from a server that repeats it', async () => {
    const proofs: string[] = [];
    await using site = await serveSite((request, response) => {
      const { authorization = '' } = request.headers;
      proofs.push(/response="([^"]+)"/.exec(authorization)?.[1] ?? '');
      const challenge = 'Digest realm="r", nonce="n", qop="auth"';
      response.writeHead(401, { 'WWW-Authenticate': challenge, 'X-Echo': authorization }).end(authorization);
    });
    const seen = await runTest(http, site.url, digest);
    expect(proofs[1]).toMatch(/^[0-9a-f]{32}$/);
    expect(JSON.stringify(seen)).not.toContain(proofs[1]);
  });
});

describe('a Bearer login', () => {
  test('sends the token, and is 8 where it is refused', async () => {
    const sent: (string | undefined)[] = [];
    await using site = await serveSite((request, response) => {
      sent.push(request.headers.authorization);
      response.writeHead(request.headers.authorization === 'Bearer good-token' ? 200 : 401).end();
    });
    expect(await runTest(http, site.url, { Auth: 'Bearer', Token: 'good-token' })).toMatchObject({ code: 1 });
    // The login of the URL is not sent.
    const url = site.url.replace('//', '//u:p@');
    const seen = await runTest(http, url, { Token: 'bad-token' });
    expect(seen).toMatchObject({ code: 8, text: '401 Unauthorized: the Token is refused' });
    expect(sent).toEqual(['Bearer good-token', 'Bearer bad-token']);
  });

  test('stays at its origin', async () => {
    const sent: (string | undefined)[] = [];
    await using other = await serveSite((request, response) => {
      sent.push(request.headers.authorization);
      response.end();
    });
    await using site = await serveSite(answerWith(307, '', { Location: other.url }));
    const seen = await runTest(http, site.url, { Token: 'good-token' });
    expect(seen.extended['DroppedOnRedirect']).toEqual(['Authorization']);
    expect(sent).toEqual([undefined]);
  });
});

test.each([
  [{ Auth: 'Bearer' }, 'Token'],
  [{ Auth: 'Basic', Token: 'x' }, 'Token'],
  [{ Token: 'x', User: 'u' }, 'Token'],
  [{ Token: 'has blank' }, 'Token'],
  [{ Auth: 'NTLM' }, 'Auth'],
])('%o is refused at %s', (options, field) => {
  const result = http.options.safeParse(options);
  expect(result.error?.issues.map(({ path }) => path.join('.'))).toEqual([field]);
});

test('an own Authorization header goes instead of any login, and Digest without a user says so', async () => {
  const sent: (string | undefined)[] = [];
  await using site = await serveSite((request, response) => {
    sent.push(request.headers.authorization);
    response.writeHead(401).end();
  });
  await runTest(http, site.url, { ...digest, Headers: { authorization: 'Custom x' } });
  const seen = await runTest(http, site.url, { Auth: 'Digest' });
  expect(sent).toEqual(['Custom x', undefined]);
  expect(seen).toMatchObject({ code: 8, text: '401 Unauthorized: Auth Digest has no User' });
});
