import type { Db } from '@vantage/storage';
import { useDatabase } from '@vantage/testing/use-database';
import { expect, test } from 'vitest';
import { notificationsOf } from './delivery-store.ts';
import { enqueue } from './enqueue.ts';
import { addTwoContacts, sampleNotification } from './testing/sample.ts';

let db: Db;

useDatabase((opened) => {
  db = opened;
});

test('notifications of an alert are listed oldest first with contact, state and attempts', async () => {
  const { accountNo, ids, first, second } = await addTwoContacts(db.kysely);
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
