import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';

let rest: RestFixture;
beforeAll(async () => {
  rest = await createRestFixture();
});
afterAll(() => rest[Symbol.asyncDispose]());

test('the person who chooses the password is signed in by that, once', async () => {
  const { accountNo } = await rest.account('one');
  const { key } = await rest.key(accountNo, 'UA');
  const body = { Name: 'Ada', Email: 'ada@example.org', Level: 'UO' };
  const { Link } = (await rest.send('POST', '/users', { key, body })).json as { readonly Link: string };
  const choose = (password: string) =>
    fetch(`${new URL(rest.baseUrl).origin}${new URL(Link).pathname}`, {
      method: 'POST',
      headers: { 'X-Forwarded-Proto': 'https', 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ Password: password, Again: password }),
    });
  const chosen = await choose('a long enough password');
  expect(chosen.headers.get('Refresh')).toBe('0; url=/');
  const Cookie = chosen.headers.get('Set-Cookie')?.split(';')[0] ?? '';
  const session = await rest.send('GET', '/session', { headers: { Cookie } });
  expect(session.json).toMatchObject({ Level: 'UO', Name: 'Ada' });
  const again = await choose('another long password');
  expect([again.status, again.headers.get('Set-Cookie')]).toEqual([404, null]);
});
