import type { FormRequest } from '@vantage/rest-kit/outer-routes';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';

const requests: FormRequest[] = [];
let rest: RestFixture;

beforeAll(async () => {
  const run = async (request: FormRequest) => {
    requests.push(request);
    return { status: 200, type: 'text/html; charset=utf-8', body: 'page' } as const;
  };
  rest = await createRestFixture({ pages: [{ path: '/links/', needsKey: 'signed', run }] });
});
afterAll(() => rest[Symbol.asyncDispose]());

function send(method: string, type?: string, body?: string) {
  const headers = { 'X-Forwarded-Proto': 'https', ...(type === undefined ? {} : { 'Content-Type': type }) };
  return fetch(new URL('/links/abc', rest.baseUrl), {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
}

it('shows a page below its path without a key, and gives it the fields of its form', async () => {
  const shown = await send('GET');
  expect([shown.status, shown.headers.get('cache-control'), await shown.text()]).toEqual([
    200,
    'no-store',
    'page',
  ]);
  await send('HEAD');
  const sent = await send('POST', 'application/x-www-form-urlencoded', 'Note=I+am+on+it');
  expect(sent.status).toBe(200);
  expect(requests.map(({ isSent, rest, fields }) => [isSent, rest, fields.get('Note')])).toEqual([
    [false, 'abc', null],
    [false, 'abc', null],
    [true, 'abc', 'I am on it'],
  ]);
});

it.each([
  ['PUT', undefined, undefined, 'PUT is not supported here; supported: GET, POST.'],
  ['POST', 'application/json', '{}', 'A form must be sent as application/x-www-form-urlencoded.'],
  [
    'POST',
    'application/x-www-form-urlencoded',
    `Note=${'x'.repeat(9000)}`,
    'The form is longer than 8192 characters.',
  ],
])('refuses a form that is sent by %s as %s', async (method, type, body, message) => {
  const count = requests.length;
  const answer = await send(method, type, body);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ code: 1000, message });
  expect(requests).toHaveLength(count);
});
