import { createLog, newId } from '@vantage/kernel';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/harness/database.ts';
import { createDb, type Db } from '../db/index.ts';
import { createFixtures } from '../testing/fixtures.ts';
import { enqueue, notificationsOf, withdraw } from './notification-store.ts';
import { sampleNotification } from './testing/sample.ts';

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await createTestDatabase();
  db = await createDb({ connection: { url: database.url }, log: createLog('test', 'silent') });
});
afterAll(async () => {
  await db.close();
  await database[Symbol.asyncDispose]();
});

async function twoContacts() {
  const rows = createFixtures(db.kysely);
  const accountNo = await rows.account();
  const ids = [newId(), newId()] as const;
  const first = await rows.contact(accountNo, { contact_id: ids[0] });
  const second = await rows.contact(accountNo, { contact_id: ids[1] });
  return { accountNo, ids, first, second };
}

test('notifications of an alert are listed oldest first with contact, state and attempts', async () => {
  const { accountNo, ids, first, second } = await twoContacts();
  const sample = { ...sampleNotification, accountNo, alertNo: 7 };
  await enqueue(
    db.kysely,
    [
      { ...sample, contactNo: second },
      { ...sample, contactNo: first },
    ],
    5,
  );
  expect(await notificationsOf(db.kysely, [7, 8])).toEqual(
    new Map([
      [
        7,
        [
          { contact_id: ids[1], State: 'Pending', Attempts: 0 },
          { contact_id: ids[0], State: 'Pending', Attempts: 0 },
        ],
      ],
    ]),
  );
});

test('only notifications that were never attempted are withdrawn, of one contact or of all', async () => {
  const { accountNo, ids, first, second } = await twoContacts();
  const sample = { ...sampleNotification, accountNo, alertNo: 9 };
  await enqueue(
    db.kysely,
    [
      { ...sample, contactNo: first },
      { ...sample, contactNo: second },
    ],
    5,
  );
  await db.kysely.updateTable('notifications').set({ attempts: 1 }).where('contact_no', '=', first).execute();
  expect(await withdraw(db.kysely, { alertNo: 9, contactNo: first, nowUs: 6 })).toEqual([]);
  expect(await withdraw(db.kysely, { alertNo: 9, nowUs: 6 })).toEqual([second]);
  expect((await notificationsOf(db.kysely, [9])).get(9)).toEqual([
    { contact_id: ids[0], State: 'Pending', Attempts: 1 },
    { contact_id: ids[1], State: 'Withdrawn', Attempts: 0 },
  ]);
});

test('workers are notified at the commit, and not of a decision that is rolled back', async () => {
  const { accountNo, first } = await twoContacts();
  const notices: unknown[] = [];
  await using _listening = await db.subscribe('notifications', (notice) => notices.push(notice));
  const sample = { ...sampleNotification, accountNo, contactNo: first };
  await db.kysely
    .transaction()
    .execute(async (trx) => {
      await enqueue(trx, [sample], 5);
      throw new Error('rolled back');
    })
    .catch(() => {});
  await db.kysely.transaction().execute((trx) => enqueue(trx, [sample, sample], 5));
  await vi.waitFor(() => expect(notices).toEqual([{ contact_nos: [first] }]), {
    timeout: 10_000,
    interval: 20,
  });
});
