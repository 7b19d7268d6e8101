import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';

let rest: RestFixture;
let accountNo = 0;
let key = '';

beforeAll(async () => {
  rest = await createRestFixture();
  ({ accountNo } = await rest.account('one'));
  ({ key } = await rest.key(accountNo, 'UW'));
});
afterAll(() => rest[Symbol.asyncDispose]());

const device = { Method: 'TCP', URL: 'a.example:1' };
const create = (more: object) => rest.send('POST', '/devices', { key, body: { ...device, ...more } });

test('a new device waits for no other new device of its account, and a change of the account waits for both', async () => {
  const order: string[] = [];
  let changed: Promise<unknown> = Promise.resolve();
  await rest.db.kysely.transaction().execute(async (other) => {
    await sql`select 1 from accounts where account_no = ${accountNo} for share`.execute(other);
    changed = rest
      .send('PUT', '/account', { key, body: { Name: 'changed' } })
      .then(({ status }) => order.push(`change ${status}`));
    expect((await create({ ShortName: 'beside' })).status).toBe(200);
    order.push('device');
  });
  await changed;
  expect(order).toEqual(['device', 'change 200']);
});

test('devices that are created at once with one ExternalKey are one device', async () => {
  const replies = await Promise.all(
    Array.from({ length: 12 }, () => create({ ShortName: 'keyed', ExternalKey: 'cmdb-1' })),
  );
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 400]));
});

test('devices are created beside changes and deletions of what they name', async () => {
  const master = (await create({ ShortName: 'master' })).json as { device_id: string };
  const replies = await Promise.all(
    Array.from({ length: 24 }, (_, i) => {
      if (i % 3 === 0)
        return rest.send('PUT', `/devices/${master.device_id}`, { key, body: { FullName: `n${i}` } });
      return create({ ShortName: `d${i}`, ...(i % 3 === 1 ? { device_master_id: master.device_id } : {}) });
    }),
  );
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
});
