import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';

let rest: RestFixture;
let without: RestFixture;
let admin: string;
beforeAll(async () => {
  rest = await createRestFixture({ settings: { signInHeader: 'x-forwarded-email' } });
  without = await createRestFixture({ beside: rest });
  const { accountNo } = await rest.account('mine');
  ({ key: admin } = await rest.key(accountNo, 'UA'));
});
afterAll(async () => {
  await without[Symbol.asyncDispose]();
  await rest[Symbol.asyncDispose]();
});

const invite = async (Email: string) => {
  const person = { Name: Email, Email, Level: 'UO' };
  const { json } = await rest.send('POST', '/users', { key: admin, body: person });
  return z.object({ user_id: z.string() }).parse(json).user_id;
};
const signIn = (email: string, body: object = {}, api = rest) =>
  api.send('POST', '/session', {
    body,
    headers: { 'X-Forwarded-For': '192.0.2.44', 'X-Forwarded-Email': email },
  });

test('a trusted proxy signs in who was invited, without a password', async () => {
  await invite('ada@example.org');
  const reply = await signIn('Ada@Example.ORG');
  expect(reply.json).toMatchObject({ Name: 'ada@example.org', Level: 'UO' });
  const Cookie = reply.headers.get('Set-Cookie')?.split(';')[0] ?? '';
  expect((await rest.send('GET', '/session', { headers: { Cookie } })).json).toMatchObject({ Level: 'UO' });
  // The header alone is no sign-in: another request needs the cookie.
  const alone = await rest.send('GET', '/account', { headers: { 'X-Forwarded-Email': 'ada@example.org' } });
  expect(alone.json).toMatchObject({ code: 1001 });
  expect((await signIn('ada@example.org', { Account: 'mine' })).status).toBe(200);
});

test('whom nobody invited, or whose access ended, is refused, and the audit has it', async () => {
  const id = await invite('grace@example.org');
  expect((await signIn('grace@example.org')).status).toBe(200);
  await rest.send('DELETE', `/users/${id}`, { key: admin });
  for (const email of ['grace@example.org', 'nobody@example.org', 'ada@example.org, nobody@example.org'])
    expect((await signIn(email)).json).toMatchObject({ code: 1001 });
  expect((await signIn('ada@example.org', { Account: 'another' })).json).toMatchObject({ code: 1001 });
  await expect
    .poll(async () => (await rest.send('GET', '/audit?Action=Refuse', { key: admin })).text)
    .toContain('192.0.2.44');
});

test('credentials in the body count before the header', async () => {
  expect((await signIn('ada@example.org', { Key: 'wrong' })).json).toMatchObject({ code: 1001 });
  expect((await signIn('ada@example.org', { Key: admin })).json).toMatchObject({ Level: 'UA' });
});

test('without the setting the header counts for nothing', async () => {
  expect((await signIn('ada@example.org', {}, without)).json).toMatchObject({ code: 1004 });
});

describe('a person whom several accounts have invited', () => {
  const inviteBy = async (key: string, Email: string) =>
    (await rest.send('POST', '/users', { key, body: { Name: Email, Email, Level: 'UR' } })).json as {
      readonly Link: string;
    };
  const accountOf = async (reply: Awaited<ReturnType<typeof signIn>>) => {
    const Cookie = reply.headers.get('Set-Cookie')?.split(';')[0] ?? '';
    const { json } = await rest.send('GET', '/account', { headers: { Cookie } });
    return json as { readonly Name: string };
  };
  let first: string;
  beforeAll(async () => {
    const { accountNo } = await rest.account('invited first');
    ({ key: first } = await rest.key(accountNo, 'UA'));
  });

  test('goes to the one that a proxy signed them in to before, whoever invites them later', async () => {
    await inviteBy(admin, 'hedy@example.org');
    expect(await accountOf(await signIn('hedy@example.org'))).toMatchObject({ Name: 'mine' });
    await inviteBy(first, 'hedy@example.org');
    expect(await accountOf(await signIn('hedy@example.org'))).toMatchObject({ Name: 'mine' });
    const other = await signIn('hedy@example.org', { Account: 'invited first' });
    expect(await accountOf(other)).toMatchObject({ Name: 'invited first' });
  });

  test('chooses one at first; an invitation that others accepted in their place gets nobody', async () => {
    const { Link: link } = await inviteBy(first, 'mary@example.org');
    const Password = 'of the one who invited';
    await fetch(`${new URL(rest.baseUrl).origin}${new URL(link).pathname}`, {
      method: 'POST',
      headers: { 'X-Forwarded-Proto': 'https' },
      body: new URLSearchParams({ Password, Again: Password }),
    });
    const body = { Email: 'mary@example.org', Password };
    expect((await rest.send('POST', '/session', { body })).json).toMatchObject({ Level: 'UR' });
    await inviteBy(admin, 'mary@example.org');
    expect((await signIn('mary@example.org')).json).toMatchObject({
      code: 1005,
      message: expect.stringContaining('Send Account'),
      errors: [{ field: 'Account' }],
      Accounts: ['invited first', 'mine'],
    });
    expect(await accountOf(await signIn('mary@example.org', { Account: 'mine' }))).toMatchObject({
      Name: 'mine',
    });
    expect(await accountOf(await signIn('mary@example.org'))).toMatchObject({ Name: 'mine' });
    const { text } = await rest.send('GET', '/audit?Action=Refuse', { key: admin });
    expect(text).not.toContain('mary@');
  });
});
