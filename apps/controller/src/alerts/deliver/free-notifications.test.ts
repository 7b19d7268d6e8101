import { newId } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import { sql, type Transaction } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { realTime } from '../../config/time-scale.ts';
import { createChannels } from '../channels/channel-registry.ts';
import { claim } from './claim.ts';
import { dueContacts } from './due-contacts.ts';
import { mergeableRows } from './free-notifications.ts';
import { record } from './record-attempt.ts';
import { createDeliveryFixture, type DeliveryFixture } from './testing/delivery-fixture.ts';

const many = 10_000;
const nowUs = Date.now() * 1000 + 60_000_000;
let fixture: DeliveryFixture;
let deps: Parameters<typeof claim>[2];

beforeAll(async () => {
  fixture = await createDeliveryFixture();
  deps = {
    channels: createChannels({ allowPrivate: true, smtpUrl: undefined, mailFrom: 'vantage@example.org' }),
    log: fixture.log,
    timeScale: realTime,
    newToken: newId,
    readDay: async () => null,
    onFailed: async () => {},
  };
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** A contact for which so many notifications wait, each with its own key or all with one. */
async function waiting(count: number, keyOf: (i: number) => string) {
  const contactNo = await fixture.webhook('http://127.0.0.1:1/');
  await fixture.add(
    ...Array.from({ length: count }, (_, i) => [contactNo, keyOf(i), `device ${i}`] as const),
  );
  return contactNo;
}

/** How many notifications the work reads. Statements before it in the transaction do not count. */
async function readsOf(trx: Transaction<Tables>, work: () => Promise<unknown>): Promise<number> {
  const count = async () => {
    const { rows } = await sql<{ read: number }>`
      select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read
      from pg_stat_xact_user_tables where relname = 'notifications'`.execute(trx);
    return rows[0]?.read ?? 0;
  };
  const before = await count();
  await work();
  return (await count()) - before;
}

/**
 * The reads of a claim of one message, of the record of its delivery, and of the question which contacts have something
 * due.
 */
async function workOfOne(contactNo: number) {
  return fixture.db.kysely.transaction().execute(async (trx) => {
    const claimed: Awaited<ReturnType<typeof claim>>[number][] = [];
    const claims = await readsOf(trx, async () => {
      claimed.push(...(await claim(trx, { contactNo, slots: 1, nowUs }, deps)));
    });
    expect(claimed).toHaveLength(1);
    const [one] = claimed;
    const outcome = { kind: 'delivered', text: 'HTTP 204' } as const;
    const records = await readsOf(trx, async () => {
      if (one !== undefined)
        await record(
          trx,
          { ...one, outcome, nowUs },
          { times: { waitsUs: [], giveUpUs: 0, maxWaitUs: 0, refusalUs: 0 }, onFailed: deps.onFailed },
        );
    });
    const due = await readsOf(trx, () =>
      dueContacts(trx, { nowUs, taken: { full: [], slow: [] }, limit: 200 }),
    );
    return { claims, records, due };
  });
}

test.each<[string, (i: number) => string]>([
  ['devices of their own', (i) => `device:${i}`],
  ['one device', () => 'device:1'],
])(
  'a claim and its record cost the same at 10,000 waiting notifications of %s as at 200, however old the statistics are',
  async (_, keyOf) => {
    const [few, lots] = [await waiting(200, keyOf), await waiting(many, keyOf)];
    // The first claims hold those that wait for an earlier one of their device, once.
    for (const contactNo of [few, lots, few, lots]) await workOfOne(contactNo);
    const [base, work] = [await workOfOne(few), await workOfOne(lots)];
    expect(work.claims).toBeLessThanOrEqual(base.claims + 10);
    expect(work.records).toBeLessThanOrEqual(base.records + 10);
    expect(work.due).toBeLessThanOrEqual(50);
  },
  60_000,
);

test('one message that names all waiting notifications reads each of them a few times', async () => {
  const contactNo = await waiting(500, (i) => `device:${i}`);
  await fixture.db.kysely.transaction().execute(async (trx) => {
    const reads = await readsOf(trx, async () => {
      expect(await mergeableRows(trx, contactNo, 500)).toHaveLength(500);
    });
    expect(reads).toBeLessThan(2_500);
  });
});
