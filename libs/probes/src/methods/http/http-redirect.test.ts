import { afterAll, expect, test } from 'vitest';
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
