import type { Database } from '@vantage/storage';
import { useDatabase } from '@vantage/testing/use-database';
import { expect, test, vi } from 'vitest';
import { enqueue } from './enqueue.ts';
import { addTwoContacts, sampleNotification, statesOfNotifications } from './testing/sample.ts';

let db: Database;

useDatabase((opened) => {
  db = opened;
});

test('workers are notified at the commit, and not of a decision that is rolled back', async () => {
  const { accountNo, first } = await addTwoContacts(db.kysely);
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
    timeout: 60_000,
    interval: 20,
  });
});

test('notifications of a contact in shadow are recorded at once, and are never due', async () => {
  const { accountNo, first, second } = await addTwoContacts(db.kysely);
  await db.kysely.updateTable('contacts').set({ shadow: true }).where('contact_no', '=', first).execute();
  const rows = [first, second].map((contactNo) => ({
    ...sampleNotification,
    accountNo,
    alertNo: 12,
    contactNo,
  }));
  await enqueue(db.kysely, rows, 5);
  expect(await statesOfNotifications(db.kysely, 12)).toEqual(['Shadow 0', 'Pending 0']);
  const [row] = await db.kysely
    .selectFrom('notifications')
    .select(['ended_us', 'answer', 'data'])
    .where('contact_no', '=', first)
    .execute();
  expect(row).toMatchObject({ ended_us: 5, answer: 'the contact is in shadow, so nothing was sent' });
  expect(row?.data).toEqual(sampleNotification.data);
});
