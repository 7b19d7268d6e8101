// What comes back from the provider is taken only where it is the answer of this provider to this browser.

import type { Forge } from '@vantage/testing/oidc-provider';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { browse, useProvider } from './testing/provider-bench.ts';

const bench = useProvider();
const ada = { sub: 'ada', email: 'Ada@Example.org', email_verified: true, name: 'Ada Lovelace' };

describe('an answer that is not one of the provider to this browser', () => {
  let one: Awaited<ReturnType<typeof bench.start>>;
  beforeAll(async () => {
    one = await bench.start('admins=UA');
  });
  beforeEach(() => {
    bench.provider.person = { ...ada, groups: ['admins'] };
  });
  afterAll(() => one.rest[Symbol.asyncDispose]());

  const claims =
    (change: object, by: 'provider' | 'somebody' | 'nobody' = 'provider'): Forge =>
    (own) => ({ claims: { ...own, ...change }, by });
  const nowS = Math.floor(Date.now() / 1000);

  test('is taken where nothing is forged', async () => {
    bench.provider.forge = claims({});
    expect((await browse(one.rest)).answer.status).toBe(200);
  });

  test.each([
    ['another issuer', claims({ iss: 'https://evil.example' })],
    ['another audience', claims({ aud: 'somebody else' })],
    ['several audiences for another party', claims({ aud: ['vantage', 'x'], azp: 'x' })],
    ['another nonce', claims({ nonce: 'x' })],
    ['no nonce', claims({ nonce: undefined })],
    ['the signature of another key', claims({}, 'somebody')],
    ['no signature', claims({}, 'nobody')],
    ['a token that has ended', claims({ iat: nowS - 7_200, exp: nowS - 3_600 })],
    ['a token from far ahead', claims({ nbf: nowS + 3_600 })],
    ['another subject than its user info', claims({ sub: 'eve', email: undefined })],
  ])('is refused: %s', async (_, forge) => {
    bench.provider.forge = forge;
    const { answer, own, text } = await browse(one.rest);
    expect([answer.status, text]).toEqual([503, expect.stringContaining('You are not signed in')]);
    expect(own.text).not.toContain('session');
  });

  test.each([
    ['another state', (address: URL) => address.searchParams.set('state', 'x')],
    ['no state', (address: URL) => address.searchParams.delete('state')],
    ['another code', (address: URL) => address.searchParams.set('code', 'x')],
    [
      'the issuer of another provider',
      (address: URL) => address.searchParams.set('iss', 'https://evil.example'),
    ],
    [
      'an error of the provider',
      (address: URL) => {
        address.searchParams.delete('code');
        address.searchParams.set('error', 'access_denied');
        address.searchParams.set('error_description', '<b>no</b>');
      },
    ],
  ])('is refused: %s', async (_, change) => {
    const { answer, own, text } = await browse(one.rest, change);
    expect([answer.status, text]).toEqual([503, expect.stringContaining('You are not signed in')]);
    expect(own.text).not.toContain('session');
    expect(text).not.toContain('<b>');
  });

  test('is refused in a browser that did not begin, later than ten minutes, and a second time', async () => {
    const { back, own, get } = await browse(one.rest, (address) => address.searchParams.set('state', 'x'));
    const bare = await fetch(`${one.rest.baseUrl.replace('/v1.1', '')}${back}`, {
      headers: { 'X-Forwarded-Proto': 'https' },
    });
    expect([bare.status, await bare.text()]).toEqual([
      409,
      expect.stringContaining('not begun in this browser'),
    ]);
    expect(own.text).toContain('__Host-vantage-sign-in=');
    await one.rest.clock.advance(601_000);
    expect(await (await get(back)).text()).toContain('more than ten minutes ago');
    const good = await browse(one.rest);
    expect((await good.get(good.back)).status).toBe(503);
  });
});
