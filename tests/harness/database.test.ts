import { expect, test } from 'vitest';
import { createTestDatabase } from './database.ts';
import { inDatabase, withClient } from './postgres-url.ts';

test('each test database is migrated, empty and separate from the others', async () => {
  await using one = await createTestDatabase();
  await using two = await createTestDatabase();
  await withClient(one.url, (client) =>
    client.query("insert into accounts (account_id, name) values ('a', 'one')"),
  );
  const count = (url: string) =>
    withClient(
      url,
      async (client) => (await client.query('select count(*)::int as n from accounts')).rows[0].n,
    );
  expect(await count(one.url)).toBe(1);
  expect(await count(two.url)).toBe(0);
});

test.each([
  ['postgresql://u@/postgres?host=%2Ftmp', 'postgresql://u@/x?host=%2Ftmp'],
  ['postgres://u:p@h:5432/db', 'postgres://u:p@h:5432/x'],
  ['postgres://h', 'postgres://h/x'],
])('%s points to another database', (url, expected) => {
  expect(inDatabase(url, 'x')).toBe(expected);
});
