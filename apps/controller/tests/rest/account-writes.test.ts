import { withClient } from '@vantage/testing/postgres-url';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';

let rest: RestFixture;
beforeAll(async () => {
  rest = await createRestFixture();
});
afterAll(() => rest[Symbol.asyncDispose]());

test('changes of one account that wait for each other leave the connections of the database to other accounts', async () => {
  const [one, other] = [await rest.account('one'), await rest.account('other')];
  const { key } = await rest.key(one.accountNo, 'UW');
  const { key: neighbour } = await rest.key(other.accountNo, 'UW');
  const tags: Promise<{ status: number }>[] = [];
  await withClient(rest.database.url, async (blocker) => {
    await blocker.query('begin');
    await blocker.query('select 1 from accounts where account_no = $1 for update', [one.accountNo]);
    for (let no = 0; no < 16; no += 1)
      tags.push(rest.send('POST', '/tags', { key, body: { Name: `t${no}` } }));
    await waitUntilLocked();
    const asked = ['/devices', '/tags', '/account', '/locations'].map((path) =>
      rest.send('GET', path, { key: neighbour }),
    );
    const made = rest.send('POST', '/tags', { key: neighbour, body: { Name: 'n' } });
    for (const reply of await Promise.all([...asked, made])) expect(reply.status).toBe(200);
    await blocker.query('rollback');
  });
  for (const reply of await Promise.all(tags)) expect(reply.status).toBe(200);
});

/** Resolves when a change waits for the lock. */
async function waitUntilLocked(): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(rest.db.kysely);
    if ((rows[0]?.n ?? 0) > 0) return;
  }
}
