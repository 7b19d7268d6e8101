import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type OneAccount, startOneAccount } from '../../src/testing/one-account.ts';
import { sampleContact, sampleHook, sampleMschedule } from '../../src/testing/sample-account.ts';

let one: OneAccount;
beforeAll(async () => {
  one = await startOneAccount();
  const email = { Name: 'Reader', Type: 'email', Address: 'reader@example.org', ExternalKey: 'reader' };
  await one.create('/contacts', email);
});
afterAll(() => one[Symbol.asyncDispose]());

const times = z.looseObject({ CreatedAt: z.string(), UpdatedAt: z.string() });
const tcp = { Method: 'TCP', URL: 'example.org:9', ShortName: 'tcp' };
const renamed = { Name: 'another' };

/** Each kind: its table, what creates one, and what changes it. */
const kinds: readonly (readonly [path: string, table: string, created: object, changed: object])[] = [
  ['/devices', 'devices', tcp, { FullName: 'another' }],
  ['/tags', 'tags', { Name: 'web' }, renamed],
  ['/locations', 'locations', { Name: 'Oslo' }, renamed],
  ['/contacts', 'contacts', sampleContact, renamed],
  ['/nschedules', 'nschedules', { Name: 'office', Steps: [] }, renamed],
  ['/mschedules', 'mschedules', sampleMschedule, renamed],
  ['/hooks', 'hooks', sampleHook, renamed],
  ['/pages', 'pages', { Name: 'status', Path: 'status' }, renamed],
  ['/reports', 'reports', { Name: 'monthly', Contacts: ['key:reader'] }, renamed],
  ['/secrets', 'secrets', { Name: 'kept', Value: 'v' }, { Value: 'w' }],
  ['/keys', 'api_keys', { Name: 'k', Level: 'UR' }, renamed],
  ['/users', 'api_keys', { Name: 'Ada', Email: 'ada@example.org', Level: 'UR' }, renamed],
];

const microseconds = new Set(['devices', 'hooks', 'pages', 'reports']);

/** The times of the newest row of a table, as they are stored. */
async function newestOf(table: string) {
  const unit = microseconds.has(table) ? 'us' : 'at';
  const [created, updated] = [sql.ref(`created_${unit}`), sql.ref(`updated_${unit}`)];
  const { rows } = await sql<{ created: string; updated: string }>`
    select ${created}::text as created, ${updated}::text as updated from ${sql.table(table)}
    order by ${created} desc limit 1`.execute(one.rest.db.kysely);
  return rows[0];
}

/** Moves all times of a table a day back, as if its things had been made yesterday. */
async function age(table: string): Promise<void> {
  const inTable = sql.table(table);
  await (microseconds.has(table)
    ? sql`update ${inTable} set created_us = created_us - 86400000000, updated_us = updated_us - 86400000000`
    : sql`update ${inTable} set created_at = created_at - interval '1 day', updated_at = updated_at - interval '1 day'`
  ).execute(one.rest.db.kysely);
}

test.each(kinds)(
  '%s say when they were created, and when they were changed',
  async (path, table, body, change) => {
    const made = z.record(z.string(), z.unknown()).parse((await one.send('POST', path, body)).json);
    const own = `${path}/${String(Object.values(made)[0])}`;
    const newest = await newestOf(table);
    expect(newest?.updated).toBe(newest?.created);
    await age(table);
    const read = async () => times.parse((await one.send('GET', own)).json);
    const first = await read();
    expect(first.UpdatedAt).toBe(first.CreatedAt);
    if (path !== '/devices')
      expect((await one.send('GET', path)).json).toContainEqual(
        expect.objectContaining({ CreatedAt: first.CreatedAt, UpdatedAt: first.UpdatedAt }),
      );
    // What is read and sent back unchanged is no change.
    await one.send('PUT', own, first);
    expect((await read()).UpdatedAt).toBe(first.UpdatedAt);
    const changed = times.parse((await one.send('PUT', own, change)).json);
    expect(changed.CreatedAt).toBe(first.CreatedAt);
    expect(Date.parse(changed.UpdatedAt) - Date.parse(first.UpdatedAt)).toBeGreaterThan(80_000_000);
    expect(await read()).toEqual(changed);
  },
);

test('the account does so, too; what changes while things run is no change of their settings', async () => {
  await age('accounts');
  const first = times.parse((await one.send('GET', '/account')).json);
  expect(first.UpdatedAt).toBe(first.CreatedAt);
  const changed = times.parse((await one.send('PUT', '/account', { Timezone: 'Europe/Berlin' })).json);
  expect(Date.parse(changed.UpdatedAt)).toBeGreaterThan(Date.parse(first.UpdatedAt));
  await age('locations');
  const [before] = z.array(times).parse((await one.send('GET', '/locations')).json);
  await sql`update locations set online = true, online_since_us = 1`.execute(one.rest.db.kysely);
  const [after] = z.array(times).parse((await one.send('GET', '/locations')).json);
  expect(after?.UpdatedAt).toBe(before?.UpdatedAt);
});
