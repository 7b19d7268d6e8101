import { createLog } from '@vantage/kernel';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../../tests/harness/database.ts';
import { createDb } from './index.ts';
import { requireSupportedServer } from './server.ts';

const log = createLog('test', 'silent');

test('a server that answers and is new enough is accepted', async () => {
  await using database = await createTestDatabase();
  const db = await createDb({ connection: { url: database.url }, log });
  await expect(requireSupportedServer(db.kysely)).resolves.toBeUndefined();
  await db.close();
});

test('the error for an unreachable server names the setting to check', async () => {
  const db = await createDb({ connection: { url: 'postgres://u@127.0.0.1:1/x' }, log });
  await expect(requireSupportedServer(db.kysely)).rejects.toThrow(
    /cannot be reached: .*ECONNREFUSED.*VANTAGE_DATABASE_URL/,
  );
  await db.close();
});
