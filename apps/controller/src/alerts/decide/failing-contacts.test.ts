import type { Db } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { decideContacts } from './failing-contacts.ts';

let db: Db;
useDatabase((opened) => {
  db = opened;
});

test('many failing contacts of one account let the alert about one of another account open at once', async () => {
  const fixtures = createFixtures(db.kysely);
  const [many, few] = [await fixtures.account(), await fixtures.account()];
  for (let n = 0; n < 150; n += 1) await fixtures.contact(many);
  await fixtures.contact(few);
  await sql`
    insert into contact_health (contact_no, account_no, failures, failing_since_us)
    select contact_no, account_no, 1, case account_no when ${few}::int then 2 else 1 end from contacts`.execute(
    db.kysely,
  );
  const decided = await db.kysely
    .transaction()
    .execute((trx) => decideContacts(trx, { afterUs: 5, nowUs: 10 }));
  expect(decided).toBe(100);
  const { rows } = await sql<{ account_no: number; count: number }>`
    select account_no, count(*)::int as count from alerts group by 1 order by 1`.execute(db.kysely);
  expect(rows).toEqual([
    { account_no: many, count: 99 },
    { account_no: few, count: 1 },
  ]);
});
