import { createZone } from '@vantage/rest-kit/zone';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sessionRoutes } from '../../src/access/sessions/session-routes.ts';
import { readUser } from '../../src/access/users/user-store.ts';
import { createCatalog } from '../../src/resources/change.ts';
import { type OneAccount, startOneAccount } from '../../src/testing/one-account.ts';
import { addUser } from '../../src/testing/sample-keys.ts';

let api: OneAccount;
beforeAll(async () => {
  api = await startOneAccount();
});
afterAll(() => api[Symbol.asyncDispose]());

test('no session begins with a password that was changed while it was checked', async () => {
  const { rest, accountNo } = api;
  const userId = await addUser(rest, accountNo);
  const user = await readUser(rest.db.kysely, accountNo, userId);
  if (user === undefined) throw new Error('no person');
  const { keyNo, name: keyName } = user;
  const [zone, address] = [createZone('UTC'), '192.0.2.1'];
  const session = {
    accountNo,
    accountId: '',
    keyNo,
    keyName,
    address,
    level: 'UR',
    hasBasic: false,
    zone,
  } as const;
  const [signIn] = sessionRoutes({
    catalog: createCatalog({ recordChanges: async () => {} }),
    identify: () => Promise.reject(new Error('a key')),
    identifyProxied: () => Promise.reject(new Error('nobody')),
    signOutAddress: async () => null,
    identifyPerson: async () => ({ session, passwordHash: 'before' }),
    onRefused: () => {},
    onEnded: () => {},
  });
  const store = (password_hash: string) =>
    rest.db.kysely.updateTable('users').set({ password_hash }).where('user_id', '=', userId).execute();
  const attempt = async () =>
    signIn?.run({
      session: undefined,
      db: rest.db,
      key: undefined,
      address,
      params: {},
      query: new URLSearchParams(),
      lastEventId: undefined,
      sessionNow: () => undefined,
      signal: new AbortController().signal,
      body: async () => ({ Email: user.email, Password: 'of before' }),
    });
  await store('after');
  await expect(attempt()).rejects.toMatchObject({ code: 1001 });
  await store('before');
  expect(await attempt()).toMatchObject({ body: { Level: 'UR' } });
});
