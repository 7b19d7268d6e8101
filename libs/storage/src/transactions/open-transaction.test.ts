import type { TestDatabase } from '@vantage/testing/database';
import { withClient } from '@vantage/testing/postgres-url';
import { useDatabase } from '@vantage/testing/use-database';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Db } from '../index.ts';
import { Account, Tag } from '../schema/entities.ts';

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

const addTag = (on: Db, tagId: string) =>
  on.catalogTransaction(async ({ em }) => {
    em.create(Tag, { tagId, accountNo, name: tagId });
  });
const tags = async (on: Db) =>
  (await on.kysely.selectFrom('tags').select('name').orderBy('name').execute()).map(({ name }) => name);
/** As another connection reads them. */
const committed = () =>
  withClient(database.url, async (client) => {
    const { rows } = await client.query<{ name: string }>('select name from tags order by name');
    return rows.map(({ name }) => name);
  });
const failing = async () => {
  throw new Error('no');
};

test('reads and writes of all kinds are one transaction, and others read it after the commit only', async () => {
  await db.inTransaction(async (open) => {
    await addTag(open, 'one');
    await open.inTransaction(async ({ kysely }) => {
      await kysely.insertInto('tags').values({ tag_id: 'two', account_no: accountNo, name: 'two' }).execute();
    });
    const [byKysely, byEntities] = await Promise.all([tags(open), (await open.entities()).count(Tag, {})]);
    expect([byKysely, byEntities]).toEqual([['one', 'two'], 2]);
    expect([await committed(), await tags(db), await (await db.entities()).count(Tag, {})]).toEqual([
      [],
      [],
      0,
    ]);
  });
  expect(await committed()).toEqual(['one', 'two']);
});

test('an error rolls everything back, and nothing is left on the connection', async () => {
  const failed = db.inTransaction(async (open) => {
    await addTag(open, 'lost');
    return failing();
  });
  await expect(failed).rejects.toThrow('no');
  expect(await tags(db)).toEqual(['one', 'two']);
});

test('a part that fails takes the transaction with it, also where its error is caught', async () => {
  const caught = db.inTransaction(async (open) => {
    await addTag(open, 'lost');
    await expect(open.inTransaction(failing)).rejects.toThrow('no');
    await expect(addTag(open, 'lost too')).rejects.toThrow('no');
  });
  await expect(caught).rejects.toThrow('no');
  expect(await committed()).toEqual(['one', 'two']);
});

test('a scope that fails takes back its own writes only, and scopes wait for each other', async () => {
  await sql`create table notes (name text)`.execute(db.kysely);
  const write = (open: Db, name: string) => sql`insert into notes values (${name})`.execute(open.kysely);
  const acts: string[] = [];
  await db.inTransaction(async (open) => {
    await write(open, 'before');
    const scoped = (name: string, then: () => Promise<unknown>) =>
      open.inScope([], async (limited) => {
        await write(limited, name);
        limited.afterCommit(() => acts.push(name));
        await then();
      });
    await Promise.all([
      expect(scoped('lost', failing)).rejects.toThrow('no'),
      scoped('kept', async () => {}),
      expect(scoped('lost too', failing)).rejects.toThrow('no'),
    ]);
  });
  expect(acts).toEqual(['kept']);
  const { rows } = await sql<{ name: string }>`select name from notes`.execute(db.kysely);
  expect(rows.map(({ name }) => name)).toEqual(['before', 'kept']);
});

test('what is to be done after the commit is done after it, and not after a rollback', async () => {
  const acts: string[] = [];
  db.afterCommit(() => acts.push('outside'));
  expect(acts).toEqual(['outside']);
  await db.inTransaction(async (open) => {
    open.afterCommit(() => acts.push('outer'));
    await open.inTransaction(async (part) => part.afterCommit(() => acts.push('inner')));
    expect(acts).toEqual(['outside']);
  });
  const lost = db.inTransaction(async (open) => {
    open.afterCommit(() => acts.push('lost'));
    return failing();
  });
  await expect(lost).rejects.toThrow('no');
  expect(acts).toEqual(['outside', 'outer', 'inner']);
});

test('a statement that comes after the end is refused and never reaches the connection', async () => {
  const { promise: going, resolve: go } = Promise.withResolvers<void>();
  let late: Promise<unknown> = Promise.resolve();
  const failed = db.inTransaction(async (open) => {
    late = going.then(() => addTag(open, 'late'));
    late.catch(() => {});
    return failing();
  });
  await expect(failed).rejects.toThrow('no');
  go();
  await expect(late).rejects.toThrow('already rolled back');
  expect(await tags(db)).not.toContain('late');
});

test('a connection that the server ends gives its place in the pool back', async () => {
  for (let round = 0; round < 3; round += 1) {
    const failed = db.inTransaction(async (open) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(open.kysely);
      await withClient(database.url, (client) =>
        client.query('select pg_terminate_backend($1)', [rows[0]?.pid]),
      );
      await addTag(open, 'lost');
    });
    await expect(failed).rejects.toThrow();
  }
  expect(await tags(db)).not.toContain('lost');
});
