import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OneAccount, startOneAccount } from '../../rest/api/testing/one-account.ts';
import { addUser } from '../../rest/api/testing/sample-keys.ts';
import { createZone } from '../../rest/http/zone.ts';
import { createCatalog } from '../change.ts';
import { readUser } from '../users/store.ts';
import { sessionRoutes } from './routes.ts';

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
    db: rest.db,
    catalog: createCatalog({ db: rest.db, recordChanges: async () => {} }),
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
