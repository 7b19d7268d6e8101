import { createLog, newId } from '@vantage/kernel';
import { createTestDatabase } from '@vantage/testing/database';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { createDb } from '../index.ts';

test('events of 3,000 accounts in one statement are stored and sent in several notifications', async () => {
  await using database = await createTestDatabase();
  const db = await createDb({ connection: { url: database.url }, log: createLog('test', 'silent') });
  const received: number[] = [];
  await using _listening = await db.subscribe('events', (notice) => {
    received.push(...(notice?.account_nos ?? []));
  });
  const accountNos = Array.from({ length: 3_000 }, (_, i) => 1_000_000 + i);
  await sql`
    insert into events (event_id, account_no, at_us, type, status, message, recorded_us)
    select ${newId()} || no, no, 1, 'Up', 'Up', 'm', 1 from unnest(${accountNos}::int[]) as no`.execute(
    db.kysely,
  );
  await vi.waitFor(() => expect(received).toHaveLength(3_000), { timeout: 60_000 });
  expect(new Set(received)).toEqual(new Set(accountNos));
  await db.close();
});
