import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { TestDatabase } from '../../../../../tests/harness/database.ts';
import { withClient } from '../../../../../tests/harness/postgres-url.ts';
import { useDatabase } from '../../testing/use-database.ts';
import { Account, Tag } from './entities.ts';
import type { Db } from './index.ts';

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

const addTag = (tagId: string) =>
  db.catalogTransaction(async ({ em }) => {
    em.create(Tag, { tagId, accountNo, name: tagId });
  });
const tags = async () =>
  (await db.kysely.selectFrom('tags').select('name').orderBy('name').execute()).map(({ name }) => name);
/** As another connection reads them. */
const committed = () =>
  withClient(database.url, async (client) => {
    const { rows } = await client.query<{ name: string }>('select name from tags order by name');
    return rows.map(({ name }) => name);
  });

test('reads and writes of all kinds inside are one transaction, and others read it after the commit only', async () => {
  await db.inTransaction(async () => {
    await addTag('one');
    await db.kysely.transaction().execute(async (trx) => {
      await trx.insertInto('tags').values({ tag_id: 'two', account_no: accountNo, name: 'two' }).execute();
    });
    const [byKysely, byEntities] = await Promise.all([tags(), (await db.entities()).count(Tag, {})]);
    expect([byKysely, byEntities]).toEqual([['one', 'two'], 2]);
    expect(await committed()).toEqual([]);
  });
  expect(await committed()).toEqual(['one', 'two']);
});

test('an error rolls everything back, and nothing is left on the connection', async () => {
  const failed = db.inTransaction(async () => {
    await addTag('lost');
    throw new Error('no');
  });
  await expect(failed).rejects.toThrow('no');
  expect(await tags()).toEqual(['one', 'two']);
});

test('a transaction inside that fails takes back its own writes only', async () => {
  await db.inTransaction(async () => {
    await addTag('three');
    await expect(addTag('three')).rejects.toMatchObject({ code: '23505' });
    await expect(db.inTransaction(() => addTag('four').then(() => Promise.reject(new Error('no')))))
      .rejects //
      .toThrow('no');
    await Promise.all([addTag('five'), addTag('six'), expect(addTag('one')).rejects.toThrow()]);
  });
  expect(await committed()).toEqual(['five', 'one', 'six', 'three', 'two']);
});

test('what is to be done after the commit is done after it, and not after a rollback', async () => {
  const acts: string[] = [];
  db.afterCommit(() => acts.push('outside'));
  expect(acts).toEqual(['outside']);
  await db.inTransaction(async () => {
    db.afterCommit(() => acts.push('outer'));
    await db.inTransaction(async () => db.afterCommit(() => acts.push('inner')));
    const lost = db.inTransaction(async () => {
      db.afterCommit(() => acts.push('lost'));
      throw new Error('no');
    });
    await expect(lost).rejects.toThrow('no');
    expect(acts).toEqual(['outside']);
  });
  expect(acts).toEqual(['outside', 'outer', 'inner']);
});

test('a statement that comes after the end is refused and never reaches the connection', async () => {
  let go: (value: unknown) => void = () => {};
  let late: Promise<unknown> = Promise.resolve();
  const failed = db.inTransaction(async () => {
    late = new Promise((resolve) => {
      go = resolve;
    }).then(() => addTag('late'));
    late.catch(() => {});
    throw new Error('no');
  });
  await expect(failed).rejects.toThrow('no');
  go(undefined);
  await expect(late).rejects.toThrow('after the end of its transaction');
  expect(await tags()).not.toContain('late');
});

test('a connection that the server ends gives its place in the pool back', async () => {
  for (let round = 0; round < 3; round += 1) {
    const failed = db.inTransaction(async () => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db.kysely);
      await withClient(database.url, (client) =>
        client.query('select pg_terminate_backend($1)', [rows[0]?.pid]),
      );
      await addTag('lost');
    });
    await expect(failed).rejects.toThrow();
  }
  expect(await tags()).not.toContain('lost');
});
