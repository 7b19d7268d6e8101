import type { TestDatabase } from '@vantage/testing/database';
import { withClient } from '@vantage/testing/postgres-url';
import { useDatabase } from '@vantage/testing/use-database';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { CatalogTransaction, Db } from '../index.ts';
import { Account, ApiKey, Device, Secret, Tag } from '../schema/entities.ts';

let database: TestDatabase;
let db: Db;
let accountNo: number;

useDatabase(
  async (opened, made) => {
    db = opened;
    database = made;
    const account = await db.catalogTransaction(async ({ em }) =>
      em.create(Account, { accountId: 'a', name: 'a' }),
    );
    accountNo = account.accountNo;
  },
  { poolSize: 2 },
);

const tagNames = async () =>
  (await db.kysely.selectFrom('tags').select('name').orderBy('name').execute()).map(({ name }) => name);

test('the ORM and Kysely see the rows of each other inside the transaction, and nobody outside does', async () => {
  await db.catalogTransaction(async ({ em, trx }) => {
    await trx.insertInto('tags').values({ tag_id: 't1', account_no: accountNo, name: 'by Kysely' }).execute();
    const found = await em.findOneOrFail(Tag, { tagId: 't1' });
    expect(found.name).toBe('by Kysely');
    found.name = 'renamed by the ORM';
    em.create(Tag, { tagId: 't2', accountNo, name: 'by the ORM' });
    await em.flush();
    const inside = await trx.selectFrom('tags').select('name').orderBy('tag_id').execute();
    expect(inside.map(({ name }) => name)).toEqual(['renamed by the ORM', 'by the ORM']);
    expect(await tagNames()).toEqual([]);
  });
  expect(await tagNames()).toEqual(['by the ORM', 'renamed by the ORM']);
});

test('changes that were not flushed are flushed before the commit', async () => {
  const tag = await db.catalogTransaction(async ({ em }) =>
    em.create(Tag, { tagId: 't3', accountNo, name: 'late' }),
  );
  expect(tag.tagNo).toBeGreaterThan(0);
  expect(await tagNames()).toContain('late');
});

test.each([
  ['an error of the work', () => Promise.reject(new Error('no')), 'no'],
  [
    'a constraint that the ORM breaks at the end',
    ({ em }) => Promise.resolve(em.create(Account, { accountId: 'b', name: 'a' })),
    '23505',
  ],
  [
    'a constraint that Kysely breaks',
    ({ trx }) => trx.insertInto('accounts').values({ account_id: 'b', name: 'a' }).execute(),
    '23505',
  ],
] satisfies [string, (open: CatalogTransaction) => Promise<unknown>, string][])(
  '%s rolls back what the ORM and Kysely wrote',
  async (_case, breaks, expected) => {
    const before = await tagNames();
    const failed = db.catalogTransaction(async (open) => {
      open.em.create(Tag, { tagId: 't8', accountNo, name: 'lost' });
      await open.em.flush();
      await open.trx
        .insertInto('tags')
        .values({ tag_id: 't9', account_no: accountNo, name: 'lost too' })
        .execute();
      await breaks(open);
    });
    await expect(failed).rejects.toMatchObject(expected === 'no' ? { message: 'no' } : { code: expected });
    expect(await tagNames()).toEqual(before);
  },
);

test('a transaction whose connection the server ends gives its place in the pool back', async () => {
  for (let round = 0; round < 3; round += 1) {
    const failed = db.catalogTransaction(async ({ em, trx }) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
      await withClient(database.url, (client) =>
        client.query('select pg_terminate_backend($1)', [rows[0]?.pid]),
      );
      em.create(Tag, { tagId: 't7', accountNo, name: 'lost' });
    });
    await expect(failed).rejects.toThrow();
  }
  expect(await tagNames()).not.toContain('lost');
});

test('every text, JSON value and byte that the ORM writes is stored and read as it was', async () => {
  const text = fc.oneof(
    fc.constantFrom(
      'NULL',
      '',
      ' a ',
      '?',
      '??',
      '$1',
      ':a',
      "'",
      '"',
      '\\',
      '\n',
      '{}',
      ',',
      "\\'; --",
      '\\n',
    ),
    fc.string({ unit: 'grapheme', maxLength: 20 }).map((any) => any.replaceAll('\0', '').toWellFormed()),
  );
  // JSON.parse of V8 13.6 may read a key that begins with an escape (`"\\n"`) as the key `\` of an earlier object.
  const key = text.filter((any) => !/^["\\\p{Cc}]/u.test(any));
  const bytes = fc.uint8Array({ maxLength: 20 });
  let round = 0;
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.array(text, { maxLength: 4 }),
      fc.dictionary(key, text),
      bytes,
      async (...given) => {
        const [url, warnings, dictionary, sealed] = given;
        const options = { ...dictionary };
        round += 1;
        const device = await db.catalogTransaction(async ({ em }) => {
          const values = { ...device0, accountNo, deviceId: `d${round}`, url, warnings, options, sealed };
          const made = em.create(Device, values, { persist: false });
          // At once, or by the unit of work at the end.
          if (round % 2 === 0) await em.insert(made);
          else em.persist(made);
          return made;
        });
        const row = await db.kysely
          .selectFrom('devices')
          .selectAll()
          .where('device_no', '=', device.deviceNo)
          .executeTakeFirstOrThrow();
        expect(row).toMatchObject({ url, warnings });
        expect(row.options).toEqual(options);
        expect(new Uint8Array(row.sealed)).toEqual(sealed);
        const again = await (await db.entities()).findOneOrFail(Device, device.deviceNo);
        expect(again).toMatchObject({ url, warnings, createdUs: device0.createdUs });
        expect(again.options).toEqual(options);
        expect(new Uint8Array(again.sealed)).toEqual(sealed);
      },
    ),
    { numRuns: 60 },
  );
});

const device0 = {
  method: 'TCP',
  shortName: 'x',
  frequencyMin: 1,
  timeoutS: 10,
  retries: 1,
  retryDelayS: 5,
  locationsGiven: false,
  changedUs: 1,
  createdUs: 1_700_000_000_000_000,
  updatedUs: 1,
};

test('a row of two key columns, and one with defaults of the database, can be made, found, changed and removed', async () => {
  const key = await db.catalogTransaction(async ({ em }) => {
    em.create(Secret, { accountNo, name: 'N', secretId: 's1', sealed: new Uint8Array([1]) });
    return em.create(ApiKey, {
      keyId: 'k',
      accountNo,
      keyHash: new Uint8Array([1]),
      hint: 'h',
      level: 'UR',
    });
  });
  expect(key).toMatchObject({ name: '', createdAt: expect.any(Date) });
  await db.catalogTransaction(async ({ em }) => {
    const secret = await em.findOneOrFail(Secret, { accountNo, name: 'N' });
    secret.sealed = new Uint8Array([2]);
  });
  expect(await db.kysely.selectFrom('secrets').select('sealed').execute()).toEqual([
    { sealed: Buffer.from([2]) },
  ]);
  await db.catalogTransaction(async ({ em }) => {
    em.remove(await em.findOneOrFail(Secret, { accountNo, name: 'N' }));
  });
  expect(await db.kysely.selectFrom('secrets').selectAll().execute()).toEqual([]);
});
