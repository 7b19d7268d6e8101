import type { Db } from '@vantage/storage';
import { useDatabase } from '@vantage/testing/use-database';
import { expect, test } from 'vitest';
import { enqueue } from './enqueue.ts';
import { addTwoContacts, sampleNotification, statesOfNotifications } from './testing/sample.ts';
import { withdraw } from './withdraw.ts';

let db: Db;

useDatabase((opened) => {
  db = opened;
});

test('only notifications that were never attempted are withdrawn, and what waits for them becomes due', async () => {
  const { accountNo, first, second } = await addTwoContacts(db.kysely);
  const sample = { ...sampleNotification, accountNo };
  const rows = [first, second].map((contactNo) => ({ ...sample, alertNo: 9, contactNo }));
  await enqueue(db.kysely, [...rows, { ...sample, alertNo: 10, contactNo: second }], 5);
  await db.kysely.updateTable('notifications').set({ attempts: 1 }).where('contact_no', '=', first).execute();
  await db.kysely.updateTable('notifications').set({ due_us: 500 }).where('alert_no', '=', 10).execute();
  await db.kysely.transaction().execute((trx) => withdraw(trx, [{ alertNo: 9, repeatsOf: null }], 6));
  expect(await statesOfNotifications(db.kysely, 9)).toEqual(['Pending 1', 'Withdrawn 0']);
  const next = await db.kysely
    .selectFrom('notifications')
    .select(['due_us', 'state'])
    .where('alert_no', '=', 10)
    .execute();
  expect(next).toEqual([{ due_us: 6, state: 'Pending' }]);
});

test('repeats are withdrawn, and neither the first message to a contact nor one of another kind', async () => {
  const { accountNo, first, second } = await addTwoContacts(db.kysely);
  const sample = { ...sampleNotification, accountNo, alertNo: 11 };
  const rows = [first, first, second, first].map((contactNo) => ({ ...sample, contactNo }));
  await enqueue(db.kysely, [...rows, { ...sample, contactNo: second, kind: 'device.up' }], 5);
  await db.kysely
    .transaction()
    .execute((trx) => withdraw(trx, [{ alertNo: 11, repeatsOf: 'device.down' }], 6));
  expect(await statesOfNotifications(db.kysely, 11)).toEqual([
    'Pending 0',
    'Withdrawn 0',
    'Pending 0',
    'Withdrawn 0',
    'Pending 0',
  ]);
});
