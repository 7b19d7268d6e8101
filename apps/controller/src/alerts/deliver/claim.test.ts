import { minuteUs, secondUs } from '@vantage/domain';
import { newId } from '@vantage/kernel';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { realTime } from '../../config/time-scale.ts';
import { createChannels } from '../channels/channel-registry.ts';
import { claim } from './claim.ts';
import { freeRows } from './free-notifications.ts';
import { createDeliveryFixture, type DeliveryFixture } from './testing/delivery-fixture.ts';

let fixture: DeliveryFixture;
beforeAll(async () => {
  fixture = await createDeliveryFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** Later than all that is stored in a test, so that all of it is due. */
const nowUs = Date.now() * 1000 + minuteUs;

function claimOf(contactNo: number, slots: number, atUs = nowUs) {
  const deps = {
    log: fixture.log,
    timeScale: realTime,
    newToken: newId,
    channels: createChannels({ allowPrivate: true, smtpUrl: undefined, mailFrom: 'v@example.org' }),
    readDay: async () => null,
    onFailed: async () => {},
  };
  return fixture.db.kysely
    .transaction()
    .execute((trx) => claim(trx, { contactNo, slots, nowUs: atUs }, deps));
}

test.each([
  ['at the same moment', 0, 0],
  ['just within a second', secondUs - 1, 0],
  ['a second later', secondUs, 1],
  ['by a clock that was set back', -1, 1],
])('after a message to a chat, the next one leaves %s: %i', async (_what, afterUs, count) => {
  const contactNo = await fixture.webhook('http://127.0.0.1:9/');
  await sql`update contacts set type = 'slack' where contact_no = ${contactNo}`.execute(fixture.db.kysely);
  await fixture.add([contactNo, 'device:1', 'a'], [contactNo, 'device:2', 'b']);
  expect(await claimOf(contactNo, 4)).toHaveLength(1);
  expect(await claimOf(contactNo, 4, nowUs + afterUs)).toHaveLength(count);
});

test('of eight messages to a person five leave, as slots become free; the rest is held for a minute', async () => {
  const contactNo = await fixture.email('noc@example.org');
  await fixture.add(...Array.from({ length: 8 }, (_, n) => [contactNo, `device:${n}`, `${n}`] as const));
  const dueIn = async () => {
    const { rows } = await sql<{ dueUs: number }>`
      select due_us as "dueUs" from notifications where contact_no = ${contactNo} and attempts = 0 order by due_us`.execute(
      fixture.db.kysely,
    );
    return rows.map(({ dueUs }) => (dueUs <= nowUs ? 'now' : dueUs - nowUs));
  };
  expect(await claimOf(contactNo, 3)).toHaveLength(3);
  expect(await dueIn()).toEqual(Array(5).fill('now'));
  expect(await claimOf(contactNo, 3)).toHaveLength(2);
  expect(await dueIn()).toEqual(Array(3).fill(minuteUs));
  expect(await claimOf(contactNo, 3, nowUs + minuteUs - 1)).toEqual([]);
  expect(await claimOf(contactNo, 3, nowUs + minuteUs)).toHaveLength(1);
  expect(await dueIn()).toEqual([]);
});

test.each([
  ['less than ten minutes leave one by one', -1, 2],
  ['ten minutes leave as one', 0, 1],
])('messages to a person that waited %s', async (_what, byUs, count) => {
  const contactNo = await fixture.email('noc@example.org');
  await fixture.add([contactNo, 'device:1', 'a'], [contactNo, 'device:2', 'b']);
  await sql`
    update notifications set created_us = ${nowUs - 10 * minuteUs}::bigint where contact_no = ${contactNo}`.execute(
    fixture.db.kysely,
  );
  expect(await claimOf(contactNo, 4, nowUs + byUs)).toHaveLength(count);
});

test('what waits for an earlier message of its device is passed over, and nothing is taken twice', async () => {
  const contactNo = await fixture.webhook('http://127.0.0.1:9/');
  // A page of 100 rows ends with one that is free.
  const keys = [...Array<string>(99).fill('device:1'), 'device:2', 'device:3', 'device:4'];
  await fixture.add(...keys.map((key) => [contactNo, key, key] as const));
  const ask = { contactNo, nowUs, areAttempted: false, limit: 4 };
  const free = await fixture.db.kysely.transaction().execute((trx) => freeRows(trx, ask));
  expect(free.map((row) => row.order_key)).toEqual(['device:1', 'device:2', 'device:3', 'device:4']);
});
