import { systemClock } from '@vantage/kernel';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFixtures } from '../../testing/fixtures.ts';
import { type DueContact, dueContacts } from './claim-store.ts';
import { fullPlaces, type RunningAttempt, shareOut } from './deliveries.ts';
import { enqueue } from './notification-store.ts';
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

const read = (running: readonly RunningAttempt[] = []) =>
  dueContacts(fixture.db.kysely, {
    nowUs: systemClock.nowUs(),
    full: fullPlaces(running),
    limit: 200,
  });
const attempts = (contacts: readonly DueContact[]) => contacts.map((one) => ({ ...one }));

test('an account whose 250 contacts wait for longer keeps no other one waiting, whether they fail or not', async () => {
  const failing = await account(250, { areFailing: true });
  const slow = await account(250);
  const later = await account(2);
  const due = await read();
  expect(due).toHaveLength(200);
  expect(due.slice(0, 3).map(({ accountNo }) => accountNo)).toEqual([
    failing.accountNo,
    slow.accountNo,
    later.accountNo,
  ]);
  expect(
    due.filter(({ accountNo }) => accountNo === later.accountNo).map(({ contactNo }) => contactNo),
  ).toEqual(later.contactNos);
  const running = shareOut(due, []).flatMap(({ contact, places }) => attempts(Array(places).fill(contact)));
  const next = await read(running);
  const accountsOf = (contacts: readonly DueContact[]) => new Set(contacts.map(({ accountNo }) => accountNo));
  // The contacts of the last account have their four places each, the others those of their account.
  expect(accountsOf(next)).toEqual(new Set());
  const ended = running.filter(({ accountNo }) => accountNo !== later.accountNo);
  expect(accountsOf(await read(ended))).toEqual(new Set([later.accountNo]));
});
