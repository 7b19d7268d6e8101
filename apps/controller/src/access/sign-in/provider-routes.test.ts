// Single sign-on against a real OpenID provider. The controller is https://vantage.test for browsers.

import { startOidcProvider } from '@vantage/testing/oidc-provider';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';
import { identityOf } from './provider.ts';
import { browse, site, useProvider } from './testing/provider-bench.ts';

const bench = useProvider();
const start = (groups?: string) => bench.start(groups);

const users = z.array(
  z.object({ Email: z.string(), Name: z.string(), Level: z.string(), SignIn: z.string() }),
);

const ada = { sub: 'ada', email: 'Ada@Example.org', email_verified: true, name: 'Ada Lovelace' };

describe('signing in by a group of the provider', () => {
  let one: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    one = await start('admins=UA; berlin=UW:berlin,gone; noc=UO');
    await one.send('POST', '/tags', { Name: 'berlin' });
  });
  afterAll(() => one.rest[Symbol.asyncDispose]());
  const sessionOf = async ({ get }: Awaited<ReturnType<typeof browse>>) =>
    z
      .object({
        Name: z.string(),
        Level: z.string(),
        Tags: z.array(z.string()).nullable(),
        CsrfToken: z.string(),
      })
      .parse(await (await get('/v1.1/session')).json());

  test('gives a session with the rights of the group, and makes the person known', async () => {
    bench.provider.person = { ...ada, groups: ['staff', 'berlin', 'noc'] };
    const seen = await browse(one.rest);
    expect([seen.answer.status, seen.answer.headers.get('Refresh')]).toEqual([200, '0; url=/']);
    expect(seen.first.searchParams.get('code_challenge_method')).toBe('S256');
    expect(seen.first.searchParams.get('scope')).toBe('openid email profile groups');
    expect(seen.answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-vantage-session=[0-9a-f]{64}; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
      ),
    ]);
    expect(await sessionOf(seen)).toMatchObject({ Name: 'Ada Lovelace', Level: 'UW', Tags: ['berlin'] });
    expect(users.parse((await one.send('GET', '/users')).json)).toEqual([
      { Email: 'ada@example.org', Name: 'Ada Lovelace', Level: 'UW', SignIn: 'Provider' },
    ]);
  });

  test('reads the groups again at each sign-in; who is in none of them any more is refused', async () => {
    bench.provider.person = { ...ada, groups: ['noc'] };
    expect(await sessionOf(await browse(one.rest))).toMatchObject({ Level: 'UO', Tags: null });
    bench.provider.person = { ...ada, groups: ['staff'] };
    const refused = await browse(one.rest);
    expect([refused.answer.status, refused.text]).toEqual([
      409,
      expect.stringContaining('You are in none of the groups that may sign in here.'),
    ]);
    expect(refused.own.text).toBe('');
    const refusals = async () => (await one.send('GET', '/audit?Kind=session&Action=Refuse')).text;
    await expect.poll(refusals).toContain('Refuse');
    expect(await refusals()).not.toContain('Ada@');
  });

  test('is for the account of the setting, whatever other account has invited the same person before', async () => {
    const { accountNo } = await one.rest.account('other');
    const { key } = await one.rest.key(accountNo, 'UA');
    const body = { Name: 'Grace', Email: 'grace@example.org', Level: 'UR' };
    await one.rest.send('POST', '/users', { key, body });
    bench.provider.person = {
      sub: 'grace',
      email: 'grace@example.org',
      email_verified: true,
      groups: ['noc'],
    };
    expect(await sessionOf(await browse(one.rest))).toMatchObject({ Level: 'UO' });
  });

  test('signs out here, and says where to sign out of the provider', async () => {
    bench.provider.person = { ...ada, groups: ['admins'] };
    const seen = await browse(one.rest);
    const { CsrfToken } = await sessionOf(seen);
    const headers = { Cookie: seen.own.text, 'X-CSRF-Token': CsrfToken };
    const { json } = await one.rest.send('DELETE', '/session', { headers });
    const { SignOut } = z.object({ SignOut: z.string() }).parse(json);
    expect(SignOut).toContain(`${bench.provider.issuer}/session/end?`);
    expect(new URL(SignOut).searchParams.get('post_logout_redirect_uri')).toBe(`${site}/`);
    expect((await seen.get('/v1.1/session')).status).toBe(400);
  });
});

describe('signing in without groups', () => {
  let one: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    one = await start();
  });
  afterAll(() => one.rest[Symbol.asyncDispose]());

  test('lets a person whom several accounts have invited choose one, once', async () => {
    const { accountNo } = await one.rest.account('invited first');
    const { key } = await one.rest.key(accountNo, 'UA');
    const body = { Name: 'Emmy', Email: 'emmy@example.org', Level: 'UR' };
    await one.rest.send('POST', '/users', { key, body });
    await one.send('POST', '/users', { ...body, Level: 'UO' });
    bench.provider.person = { sub: 'emmy', email: 'emmy@example.org', email_verified: true };
    const asked = await browse(one.rest);
    expect(asked.text).toContain('Choose an account');
    expect(asked.own.text).toBe('');
    const chosen = [...asked.text.matchAll(/href="(\/sign-in\?Account=[^"]+)"/g)].map(([, to = '']) => to);
    expect(chosen).toHaveLength(2);
    const levelOf = async ({ get }: Awaited<ReturnType<typeof browse>>) =>
      z.object({ Level: z.string() }).parse(await (await get('/v1.1/session')).json()).Level;
    const own = chosen.find((to) => !to.includes('invited'));
    expect(await levelOf(await browse(one.rest, undefined, own))).toBe('UO');
    expect(await levelOf(await browse(one.rest))).toBe('UO');
  });

  test('lets in who was invited, with their own rights, and nobody else', async () => {
    bench.provider.person = ada;
    const before = await browse(one.rest);
    expect([before.answer.status, before.text]).toEqual([
      409,
      expect.stringContaining('no account has invited'),
    ]);
    await one.send('POST', '/users', { Name: 'A. Lovelace', Email: 'ada@example.org', Level: 'UR' });
    const after = await browse(one.rest);
    expect(after.answer.status).toBe(200);
    expect(await (await after.get('/v1.1/session')).json()).toMatchObject({
      Name: 'A. Lovelace',
      Level: 'UR',
    });
  });

  test('is for any account that has invited the person', async () => {
    const { accountNo } = await one.rest.account('other');
    const { key } = await one.rest.key(accountNo, 'UA');
    const body = { Name: 'Grace', Email: 'grace@example.org', Level: 'UO' };
    await one.rest.send('POST', '/users', { key, body });
    bench.provider.person = { sub: 'grace', email: 'grace@example.org', email_verified: true };
    const { answer, get } = await browse(one.rest);
    expect(answer.status).toBe(200);
    expect(await (await get('/v1.1/session')).json()).toMatchObject({ Name: 'Grace', Level: 'UO' });
  });

  test.each([
    ['none', {}],
    ['one that is not verified', { email: 'ada@example.org', email_verified: false }],
    ['one of which the provider says nothing', { email: 'ada@example.org' }],
  ])('refuses an e-mail address: %s', async (_, email) => {
    bench.provider.person = { sub: 'eve', ...email };
    const { answer, text } = await browse(one.rest);
    expect([answer.status, text]).toEqual([409, expect.stringContaining('names no e-mail address')]);
  });

  test('takes an address of which the provider says nothing where the operator trusts it, and no refused one', async () => {
    const { rest, send } = await bench.start(undefined, { allowsUnverified: true });
    await using own = rest;
    await send('POST', '/users', { Name: 'Eve', Email: 'eve@example.org', Level: 'UR' });
    bench.provider.person = { sub: 'eve', email: 'eve@example.org' };
    expect((await browse(own)).answer.status).toBe(200);
    bench.provider.person = { sub: 'eve', email: 'eve@example.org', email_verified: false };
    expect((await browse(own)).answer.status).toBe(409);
  });
});

test('a provider that does not answer is named, and a key still signs in', async () => {
  const gone = await startOidcProvider(site);
  await gone[Symbol.asyncDispose]();
  await using rest = await createRestFixture({
    settings: {
      oidc: {
        issuer: gone.issuer,
        clientId: 'vantage',
        clientSecretFile: undefined,
        groups: undefined,
        account: 'one',
      },
    },
  });
  const reply = await fetch(`${rest.baseUrl.replace('/v1.1', '')}/sign-in`, {
    headers: { 'X-Forwarded-Proto': 'https' },
  });
  expect([reply.status, await reply.text()]).toEqual([503, expect.stringContaining('The sign-in provider')]);
  const { accountNo } = await rest.account('one');
  const { key } = await rest.key(accountNo, 'UR');
  expect((await rest.send('POST', '/session', { body: { Key: key } })).status).toBe(200);
});

test('the page learns whether there is a provider', async () => {
  await using without = await createRestFixture();
  const ask = async (rest: RestFixture, at: string) =>
    fetch(`${rest.baseUrl.replace('/v1.1', '')}${at}`, { headers: { 'X-Forwarded-Proto': 'https' } });
  expect(await (await ask(without, '/sign-in/ways')).json()).toEqual({
    Provider: false,
    Proxy: false,
    Session: false,
  });
  expect((await ask(without, '/sign-in')).status).toBe(404);
  const { rest } = await start();
  await using one = rest;
  expect(await (await ask(one, '/sign-in/ways')).json()).toEqual({
    Provider: true,
    Proxy: false,
    Session: false,
  });
  expect((await ask(one, '/sign-in/elsewhere')).status).toBe(404);
});

test('claims of any shape are read, and bounded', () => {
  expect(identityOf({ groups: 'noc', email: 5, email_verified: 'false', name: 'x'.repeat(300) })).toEqual({
    email: undefined,
    name: undefined,
    groups: new Set(['noc']),
  });
  expect(identityOf({ email: 'a@b.example', email_verified: 'true' }).email).toBe('a@b.example');
  expect(identityOf({ email: 'a@b.example', email_verified: 1 }).email).toBeUndefined();
  expect(identityOf({ groups: Array.from({ length: 5_000 }, (_, n) => `g${n}`) }).groups.size).toBe(1_000);
});
