import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createRestFixture, type RestFixture } from '../../rest/api/testing/rest-fixture.ts';

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
