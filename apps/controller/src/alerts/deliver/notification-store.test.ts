import { newId } from '@vantage/kernel';
import { expect, test, vi } from 'vitest';
import type { Db } from '../../platform/db/index.ts';
import { createFixtures } from '../../testing/fixtures.ts';
import { useDatabase } from '../../testing/use-database.ts';
import { enqueue, notificationsOf, withdraw } from './notification-store.ts';
import { sampleNotification } from './testing/sample.ts';

let db: Db;

useDatabase((opened) => {
  db = opened;
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
      { ...sample, contactNo: second, step: 3 },
      { ...sample, contactNo: first },
    ],
    5,
  );
  const waiting = { kind: sample.kind, atUs: sample.atUs, state: 'Pending', attempts: [] };
  expect(await notificationsOf(db.kysely, [7, 8])).toEqual(
    new Map([
      [
        7,
        [
          { contact_id: ids[1], name: await nameOf(second), ...waiting, step: 3 },
          { contact_id: ids[0], name: await nameOf(first), ...waiting, step: null },
        ],
      ],
    ]),
  );
});

async function nameOf(contactNo: number) {
  const contact = db.kysely.selectFrom('contacts').select('name').where('contact_no', '=', contactNo);
  return (await contact.executeTakeFirstOrThrow()).name;
}

/** State and attempts of the alert's notifications, oldest first. */
async function shown(alertNo: number) {
  const rows = await db.kysely
    .selectFrom('notifications')
    .select(['state', 'attempts'])
    .where('alert_no', '=', alertNo)
    .orderBy('notification_no')
    .execute();
  return rows.map(({ state, attempts }) => `${state} ${attempts}`);
}

test('only notifications that were never attempted are withdrawn, and what waits for them becomes due', async () => {
  const { accountNo, first, second } = await twoContacts();
  const sample = { ...sampleNotification, accountNo };
  const rows = [first, second].map((contactNo) => ({ ...sample, alertNo: 9, contactNo }));
  await enqueue(db.kysely, [...rows, { ...sample, alertNo: 10, contactNo: second }], 5);
  await db.kysely.updateTable('notifications').set({ attempts: 1 }).where('contact_no', '=', first).execute();
  await db.kysely.updateTable('notifications').set({ due_us: 500 }).where('alert_no', '=', 10).execute();
  await db.kysely.transaction().execute((trx) => withdraw(trx, [{ alertNo: 9, repeatsOf: null }], 6));
  expect(await shown(9)).toEqual(['Pending 1', 'Withdrawn 0']);
  const next = await db.kysely
    .selectFrom('notifications')
    .select(['due_us', 'state'])
    .where('alert_no', '=', 10)
    .execute();
  expect(next).toEqual([{ due_us: 6, state: 'Pending' }]);
});

test('repeats are withdrawn, and neither the first message to a contact nor one of another kind', async () => {
  const { accountNo, first, second } = await twoContacts();
  const sample = { ...sampleNotification, accountNo, alertNo: 11 };
  const rows = [first, first, second, first].map((contactNo) => ({ ...sample, contactNo }));
  await enqueue(db.kysely, [...rows, { ...sample, contactNo: second, kind: 'device.up' }], 5);
  await db.kysely
    .transaction()
    .execute((trx) => withdraw(trx, [{ alertNo: 11, repeatsOf: 'device.down' }], 6));
  expect(await shown(11)).toEqual(['Pending 0', 'Withdrawn 0', 'Pending 0', 'Withdrawn 0', 'Pending 0']);
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
    timeout: 60_000,
    interval: 20,
  });
});

test('notifications of a contact in shadow are recorded at once, and are never due', async () => {
  const { accountNo, first, second } = await twoContacts();
  await db.kysely.updateTable('contacts').set({ shadow: true }).where('contact_no', '=', first).execute();
  const rows = [first, second].map((contactNo) => ({
    ...sampleNotification,
    accountNo,
    alertNo: 12,
    contactNo,
  }));
  await enqueue(db.kysely, rows, 5);
  expect(await shown(12)).toEqual(['Shadow 0', 'Pending 0']);
  const [row] = await db.kysely
    .selectFrom('notifications')
    .select(['ended_us', 'answer', 'data'])
    .where('contact_no', '=', first)
    .execute();
  expect(row).toMatchObject({ ended_us: 5, answer: 'the contact is in shadow, so nothing was sent' });
  expect(row?.data).toEqual(sampleNotification.data);
});
