// Rows that age are found by the index of their age. A bigint that is compared with a numeric uses none.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../../tests/harness/database.ts';
import { withClient } from '../../../../../tests/harness/postgres-url.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

test('no function of the database compares microseconds with a number of another type', async () => {
  const { rows } = await withClient(database.url, (client) =>
    client.query<{ name: string; text: string }>(
      `select proname as name, prosrc as text from pg_proc where pronamespace = current_schema()::regnamespace`,
    ),
  );
  expect(rows.length).toBeGreaterThan(10);
  const wrong = rows.filter(({ text }) => /_us\s*(?:[<>]=?|=)\s*extract\(/.test(text));
  expect(wrong.map(({ name }) => name)).toEqual([]);
});
