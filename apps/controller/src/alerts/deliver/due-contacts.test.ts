import { systemClock } from '@vantage/kernel';
import { createFixtures } from '@vantage/testing/fixtures';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contactSlots } from './deliveries.ts';
import { type DueContact, dueContacts } from './due-contacts.ts';
import { enqueue } from './enqueue.ts';
import { fullNames, shareOut } from './sending/slots.ts';
import { createDeliveryFixture, type DeliveryFixture } from './testing/delivery-fixture.ts';
import { sampleNotification } from './testing/sample.ts';

let fixture: DeliveryFixture;
beforeAll(async () => {
  fixture = await createDeliveryFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** An account with contacts for each of which a notification waits, one after the other. */
async function account(count: number, { areFailing = false } = {}) {
  const { kysely } = fixture.db;
  const fixtures = createFixtures(kysely);
  const accountNo = await fixtures.account();
  const contactNos: number[] = [];
  for (let n = 0; n < count; n += 1) contactNos.push(await fixtures.contact(accountNo));
  const rows = contactNos.map((contactNo) => ({
    ...sampleNotification,
    accountNo,
    contactNo,
    alertNo: null,
  }));
  await kysely.transaction().execute((trx) => enqueue(trx, rows, systemClock.nowUs()));
  await sql`update contact_health set failures = 1 where ${areFailing} and contact_no = any(${contactNos}::int[])`.execute(
    kysely,
  );
  return { accountNo, contactNos };
}

const read = (running: readonly DueContact[] = [], slow: readonly string[] = []) =>
  dueContacts(fixture.db.kysely, {
    nowUs: systemClock.nowUs(),
    taken: { full: fullNames(running, contactSlots), slow },
    limit: 200,
  });
const accountsOf = (contacts: readonly DueContact[]) => new Set(contacts.map(({ accountNo }) => accountNo));

test('an account whose 250 contacts wait for longer keeps no other one waiting, whether they are well, slow or fail', async () => {
  const failing = await account(250, { areFailing: true });
  const slow = await account(250);
  const later = await account(2);
  const slowNames = slow.contactNos.map((contactNo) => `contact ${contactNo}`);
  const due = await read([], slowNames);
  expect(due).toHaveLength(200);
  expect(due.slice(0, 3).map(({ accountNo }) => accountNo)).toEqual([
    failing.accountNo,
    slow.accountNo,
    later.accountNo,
  ]);
  expect(due.slice(0, 3).map(({ isFailing, isSlow }) => [isFailing, isSlow])).toEqual([
    [true, false],
    [false, true],
    [false, false],
  ]);
  expect(
    due.filter(({ accountNo }) => accountNo === later.accountNo).map(({ contactNo }) => contactNo),
  ).toEqual(later.contactNos);
  const running = shareOut(due, [], contactSlots).flatMap(({ due: contact, slots }) =>
    Array.from({ length: slots }, () => contact),
  );
  // The contacts of the last account have their four slots each, the others those of their account.
  expect(accountsOf(await read(running, slowNames))).toEqual(new Set());
  const ended = running.filter(({ accountNo }) => accountNo !== later.accountNo);
  expect(accountsOf(await read(ended, slowNames))).toEqual(new Set([later.accountNo]));
});

test('contacts at a host that has no place are not read, those at another host are', async () => {
  const { accountNo, contactNos } = await account(2);
  const [first, second] = contactNos;
  await sql`update contacts set address = case contact_no when ${first}::int then 'https://user:***@A.example:8443/x?y'
    else 'https://b.example#z' end where account_no = ${accountNo}`.execute(fixture.db.kysely);
  const own = (await read()).filter((one) => one.accountNo === accountNo);
  expect(own.map(({ host }) => host)).toEqual(['a.example:8443', 'b.example']);
  const taken = { full: ['all host a.example:8443'], slow: [] };
  const left = await dueContacts(fixture.db.kysely, { nowUs: systemClock.nowUs(), taken, limit: 200 });
  const found = left.filter((one) => one.accountNo === accountNo);
  expect(found.map(({ contactNo }) => contactNo)).toEqual([second]);
});
