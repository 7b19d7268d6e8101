import { Fault } from '@vantage/kernel';
import type { Database } from '@vantage/storage';
import { expect, test } from 'vitest';
import { openDatabase } from './open-database.ts';
import { type CommandGroups, runCall } from './run-command.ts';

const unused = () => Promise.reject(new Error('the test does not run this command'));
const unloaded = () => Promise.reject(new Error('the test runs no command of this group'));
const groups: CommandGroups = {
  accounts: () => Promise.resolve({ 'accounts.create': unused, 'accounts.list': () => Promise.resolve([]) }),
  agents: unloaded,
  alerts: unloaded,
  contacts: unloaded,
  database: unloaded,
  'first-run': unloaded,
  keys: () =>
    Promise.resolve({
      'keys.issue': unused,
      'keys.list': (_db, { account = '' }) =>
        Promise.resolve([
          {
            key_id: 'k',
            account,
            name: '',
            level: 'UW',
            hint: 'abc',
            basic_user: null,
            created_at: new Date(1_000),
            expires_at: null,
            revoked_at: null,
          },
        ]),
      'keys.revoke': (_db, { key }) => Promise.reject(new Fault('drop', 'no_key', `there is no key ${key}`)),
    }),
  locations: unloaded,
  quarantine: unloaded,
};

/** Runs a call of commands that use no database. */
function call(command: string, request: unknown) {
  const open = () => Promise.resolve({ db: {} as Database, [Symbol.asyncDispose]: () => Promise.resolve() });
  return runCall(JSON.stringify({ database_url: '', command, request }), { groups, open });
}

test('an answer is JSON: timestamps are texts', async () => {
  expect(await call('keys.list', { account: 'a' })).toMatchObject({
    ok: true,
    answer: [{ key_id: 'k', account: 'a', created_at: '1970-01-01T00:00:01.000Z', revoked_at: null }],
  });
});

test('a failure is a reply with its code and message', async () => {
  expect(await call('keys.revoke', { key: 'x' })).toEqual({
    ok: false,
    error: { code: 'no_key', message: 'there is no key x' },
  });
});

test.each([
  ['keys.revoke', {}],
  ['keys.revoke', { key: 'x', secret: 'y' }],
  ['accounts.list', undefined],
  ['toString', {}],
])('the command %s with the request %j is refused', async (command, request) => {
  expect(await call(command, request)).toMatchObject({ ok: false, error: { code: 'failed' } });
});

test('a database that cannot be reached is a reply too', async () => {
  const url = 'postgres://u:p@127.0.0.1:1/x';
  const text = JSON.stringify({ database_url: url, command: 'accounts.list', request: {} });
  expect(await runCall(text, { groups, open: openDatabase })).toMatchObject({
    error: { code: 'database_away' },
  });
});
