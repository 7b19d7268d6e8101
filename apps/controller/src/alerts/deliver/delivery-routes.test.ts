import { newId } from '@vantage/kernel';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type OneAccount, startOneAccount } from '../../testing/one-account.ts';
import { storeAfter } from './attempt-store.ts';
import { attemptsOf } from './delivery-store.ts';
import { enqueue } from './enqueue.ts';
import { sampleNotification } from './testing/sample.ts';

let one: OneAccount;
let contact: string;
let contactNo: number;
beforeAll(async () => {
  one = await startOneAccount({ timezone: 'Europe/Oslo' });
  contact = await one.create('/contacts', { Name: 'noc', Type: 'email', Address: 'noc@example.org' });
  ({ contact_no: contactNo } = await one.rest.db.kysely
    .selectFrom('contacts')
    .select('contact_no')
    .where('contact_id', '=', contact)
    .executeTakeFirstOrThrow());
});
afterAll(() => one[Symbol.asyncDispose]());

const deliveries = z.array(
  z.object({
    delivery_id: z.string(),
    Kind: z.string(),
    State: z.string(),
    Ended: z.string().nullable(),
    Attempts: z.array(z.object({ At: z.string(), Answer: z.string() })),
  }),
);
const list = async (query = '') =>
  deliveries.parse((await one.send('GET', `/contacts/${contact}/deliveries${query}`)).json);

/** Stores a message, and attempts with these answers. */
async function send(orderKey: string, answers: readonly (readonly [string, 'Pending' | 'Delivered'])[]) {
  const { kysely } = one.rest.db;
  const nowUs = one.rest.clock.nowUs();
  const row = { ...sampleNotification, accountNo: one.accountNo, alertNo: null, contactNo, orderKey };
  await enqueue(kysely, [{ ...row, atUs: nowUs }], nowUs);
  const { notification_no: no } = await kysely
    .selectFrom('notifications')
    .select('notification_no')
    .orderBy('notification_no', 'desc')
    .executeTakeFirstOrThrow();
  for (const [at, [answer, state]] of answers.entries()) {
    const after = state === 'Pending' ? ({ state, dueUs: nowUs } as const) : ({ state } as const);
    const facts = { after, answer, nowUs: nowUs + at * 60_000_000, notBeforeUs: null, isUncertain: false };
    await storeAfter(kysely, no, facts);
  }
}

test('messages to a contact are listed, newest first, with what the receiver said at each attempt', async () => {
  await send('a', [
    ['HTTP 503 Service Unavailable', 'Pending'],
    ['HTTP 204 No Content', 'Delivered'],
  ]);
  await send('b', []);
  expect(await list()).toMatchObject([
    { Kind: 'device.down', State: 'Pending', Ended: null, Attempts: [] },
    {
      Kind: 'device.down',
      State: 'Delivered',
      Ended: '2026-09-21T16:14:20+02:00',
      Attempts: [
        { At: '2026-09-21T16:13:20+02:00', Answer: 'HTTP 503 Service Unavailable' },
        { At: '2026-09-21T16:14:20+02:00', Answer: 'HTTP 204 No Content' },
      ],
    },
  ]);
  const [newest] = await list('?Limit=1');
  expect((await list(`?Before=${newest?.delivery_id}`)).map(({ State }) => State)).toEqual(['Delivered']);
  expect((await one.send('GET', `/contacts/${contact}/deliveries?Before=${newId()}`)).json).toMatchObject({
    code: 1003,
  });
  expect((await one.send('GET', `/contacts/${newId()}/deliveries`)).json).toMatchObject({ code: 1003 });
});

test('a delivered message is sent again as a new one, which the audit names; one that waits is refused', async () => {
  const [pending, delivered] = await list();
  const repeat = (id = '') => one.send('POST', `/contacts/${contact}/deliveries/${id}/repeat`);
  expect((await repeat(pending?.delivery_id)).json).toMatchObject({
    code: 1005,
    message: expect.stringContaining('The delivery is Pending.'),
  });
  expect((await repeat(newId())).json).toMatchObject({ code: 1003 });
  one.rest.recorded.length = 0;
  const { delivery_id: id } = z
    .object({ delivery_id: z.string() })
    .parse((await repeat(delivered?.delivery_id)).json);
  expect((await list())[0]).toMatchObject({ delivery_id: id, State: 'Pending', Kind: 'device.down' });
  expect(one.rest.recorded.flatMap(({ changes }) => changes)).toMatchObject([
    { action: 'create', kind: 'delivery', id, fields: [{ field: 'Repeats', new: delivered?.delivery_id }] },
  ]);
  const { rows } = await sql`select count(distinct (data, kind, order_key))::int as n from notifications
    where notification_id in (${id}, ${delivered?.delivery_id})`.execute(one.rest.db.kysely);
  expect(rows).toEqual([{ n: 1 }]);
});

test('the latest 20 attempts stay, and a message of an earlier version shows its last answer', async () => {
  await send(
    'c',
    Array.from({ length: 25 }, (_, n) => [`answer ${n}`, 'Pending'] as const),
  );
  const [latest] = await list('?Limit=1');
  expect(latest?.Attempts.map(({ Answer }) => Answer)).toEqual(
    Array.from({ length: 20 }, (_, n) => `answer ${n + 5}`),
  );
  const old = { tries: [], attempts: 3, first_attempt_us: 1, ended_us: 9, answer: 'HTTP 200 OK' };
  expect(attemptsOf(old)).toEqual([{ atUs: 9, answer: 'HTTP 200 OK' }]);
  expect(attemptsOf({ ...old, ended_us: null })).toEqual([{ atUs: 1, answer: 'HTTP 200 OK' }]);
  for (const lack of [{ attempts: 0 }, { answer: null }, { ended_us: null, first_attempt_us: null }])
    expect(attemptsOf({ ...old, ...lack })).toEqual([]);
  const known = [{ AtUs: 5, Answer: 'HTTP 500' }];
  expect(attemptsOf({ ...old, tries: known })).toEqual([{ atUs: 5, answer: 'HTTP 500' }]);
});
