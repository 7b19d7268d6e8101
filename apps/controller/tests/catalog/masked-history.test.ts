import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createRestFixture } from '../../src/testing/rest-fixture.ts';

const clear = 'https://a.example/x?page=2&token=s3ntinel&a?key=s3ntinel&next=/b?c#part';
const shown = clear.replaceAll('s3ntinel', '***');
const migration = new URL('../../../../libs/storage/src/migrations/0059-masked-history.sql', import.meta.url);

test('credentials in the query of a device that an earlier version wrote into the audit and into notifications are masked', async () => {
  await using rest = await createRestFixture();
  const account = await rest.account('one');
  const { key } = await rest.key(account.accountNo, 'UW');
  const body = { ShortName: 'web', Method: 'HTTP', Frequency: 1, URL: clear };
  const { json: made } = await rest.send('POST', '/devices', { key, body });
  expect(made).toHaveProperty('device_id');
  const audit = async () => (await rest.send('GET', '/audit', { key })).text;
  const first = await audit();
  expect(first).toContain(shown);
  const { kysely } = rest.db;
  await sql`update audit set changes = replace(changes::text, ${shown}, ${clear})::jsonb`.execute(kysely);
  await sql`insert into notifications (notification_id, account_no, contact_no, order_key, kind, severity, data, at_us, created_us, due_us)
    select n, 1, 1, n, 'device.down', 'critical', jsonb_build_object('Method', m, 'URL', ${clear}::text), 0, 0, 0
    from (values ('a', 'HTTP'), ('b', 'Script')) as v(n, m)`.execute(kysely);
  expect(await audit()).toContain('s3ntinel');
  for (const _time of ['first', 'again']) await sql.raw(await readFile(migration, 'utf8')).execute(kysely);
  expect(await audit()).toBe(first);
  const rows = await kysely.selectFrom('notifications').select('data').orderBy('notification_id').execute();
  expect(rows.map(({ data }) => data)).toEqual([
    { Method: 'HTTP', URL: shown },
    { Method: 'Script', URL: clear },
  ]);
});
