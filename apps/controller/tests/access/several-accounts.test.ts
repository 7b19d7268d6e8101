import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';

const soon = { timeout: 60_000, interval: 50 };
let rest: RestFixture;
const admins: Record<string, string> = {};
beforeAll(async () => {
  rest = await createRestFixture();
  for (const name of ['first', 'mine']) {
    const { accountNo } = await rest.account(name);
    admins[name] = (await rest.key(accountNo, 'UA')).key;
  }
});
afterAll(() => rest[Symbol.asyncDispose]());

/** A person of an account, with a password of their own choice. */
async function join(account: string, { Email, Level, Password }: Record<string, string>) {
  const body = { Name: 'Same person', Email, Level };
  const { json } = await rest.send('POST', '/users', { key: admins[account] ?? '', body });
  const { pathname } = new URL((json as { readonly Link: string }).Link);
  const reply = await fetch(`${new URL(rest.baseUrl).origin}${pathname}`, {
    method: 'POST',
    headers: { 'X-Forwarded-Proto': 'https' },
    body: new URLSearchParams({ Password: Password ?? '', Again: Password ?? '' }),
  });
  expect(reply.status).toBe(200);
}
const attempt = (body: object) =>
  rest.send('POST', '/session', { body, headers: { 'X-Forwarded-For': '192.0.2.77' } });

test('a person signs in to the account whose password it is, whoever invited the address first', async () => {
  const Email = 'ada@example.org';
  await join('first', { Email, Level: 'UW', Password: 'of the other account' });
  await join('mine', { Email, Level: 'UR', Password: 'a long password' });
  const levelOf = async (sent: object) =>
    ((await attempt({ Email, ...sent })).json as { Level?: string }).Level;
  expect(await levelOf({ Password: 'a long password' })).toBe('UR');
  expect(await levelOf({ Password: 'of the other account' })).toBe('UW');
  expect(await levelOf({ Password: 'of neither account' })).toBeUndefined();
  expect(await levelOf({ Password: 'of the other account', Account: 'first' })).toBe('UW');
  expect(await levelOf({ Password: 'a long password', Account: 'first' })).toBeUndefined();
  expect(await levelOf({ Password: 'a long password', Account: 'mine' })).toBe('UR');
  for (const key of Object.values(admins))
    await vi.waitFor(async () => {
      const { text } = await rest.send('GET', '/audit?Kind=session&Action=Refuse', { key });
      expect(text).toContain('192.0.2.77');
    }, soon);
});

test('a person whose password is right in several accounts has to name one of them', async () => {
  const person = { Email: 'grace@example.org', Level: 'UW', Password: 'a long password' };
  for (const account of ['first', 'mine']) await join(account, person);
  const { Level: _, ...credentials } = person;
  expect((await attempt(credentials)).json).toMatchObject({ code: 1005, Accounts: ['first', 'mine'] });
  expect((await attempt({ ...credentials, Account: 'mine' })).json).toMatchObject({ Level: 'UW' });
  expect((await attempt({ ...credentials, Password: 'wrong' })).json).toMatchObject({ code: 1001 });
});
