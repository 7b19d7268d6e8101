import { type Kysely, sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { useDatabase } from '../../testing/use-database.ts';
import { createWaitingWrites, type Db, type Tables } from './index.ts';

let db: Db;
const sent: string[] = [];
useDatabase(
  async (opened) => {
    db = opened;
    await sql`create table steps (no int primary key, name text)`.execute(db.kysely);
  },
  { onStatement: ({ sql: text }) => void sent.push(text) },
);

beforeEach(async () => {
  await sql`delete from steps`.execute(db.kysely);
  sent.length = 0;
});

const insert = (trx: Kysely<Tables>, name: string, nos: readonly number[]) =>
  sql`insert into steps select no, ${name} from unnest(${nos}::int[]) as no`.execute(trx);
const names = async (trx: Kysely<Tables>) =>
  (await sql<{ name: string }>`select name from steps order by no`.execute(trx)).rows.map(({ name }) => name);
const numbers = createWaitingWrites<number[]>({
  begin: () => [],
  isSeenBy: (statement) => statement.includes('steps'),
  write: async (trx, nos) => void (await insert(trx, 'waited', nos)),
});
const first = createWaitingWrites<number[]>({
  begin: () => [],
  isSeenBy: () => false,
  write: async (trx, nos) => void (await insert(trx, 'first', nos)),
});
/** A part of a whole transaction that leaves a number to wait. */
const add = (kind: typeof numbers, no: number) =>
  db.catalogTransaction(async ({ whole }) => void (whole && kind.of(whole).push(no)));
const inserts = () => sent.filter((text) => text.includes('insert into steps')).length;

it('writes of many parts are one statement before the commit, and parts are no savepoints', async () => {
  await db.inWholeTransaction(async () => {
    for (let no = 1; no <= 50; no += 1) await add(numbers, no);
    await sql`select 1`.execute(db.kysely);
  });
  expect(await names(db.kysely)).toHaveLength(50);
  expect(inserts()).toBe(1);
  expect(sent.filter((text) => text.includes('savepoint'))).toEqual([]);
});

it('a statement that would notice finds them written, with all that waited before them', async () => {
  await db.inWholeTransaction(async () => {
    await add(first, 1);
    await add(numbers, 2);
    expect(await names(db.kysely)).toEqual(['first', 'waited']);
    await add(numbers, 3);
    expect(await names(db.kysely)).toEqual(['first', 'waited', 'waited']);
  });
  expect(inserts()).toBe(3);
});

it('a read that knows what waits is sent once until something else is sent', async () => {
  const ask = sql<{ count: number }>`select count(*)::int as count from steps`;
  await db.inWholeTransaction(async () => {
    const whole = db.whole();
    if (whole === undefined) throw new Error('no whole transaction');
    await add(numbers, 1);
    for (let time = 0; time < 3; time += 1)
      expect((await ask.execute(whole.reading)).rows).toEqual([{ count: 0 }]);
    expect(sent.filter((text) => text.includes('count(*)'))).toHaveLength(1);
    await sql`select 1`.execute(whole.trx);
    await ask.execute(whole.reading);
    expect(sent.filter((text) => text.includes('count(*)'))).toHaveLength(2);
  });
});

it('a part that fails ends the whole, also where its error is caught', async () => {
  const failed = db.inWholeTransaction(async () => {
    await add(numbers, 1);
    await db.catalogTransaction(() => Promise.reject(new Error('refused'))).catch(() => {});
  });
  await expect(failed).rejects.toThrow('refused');
  expect(await names(db.kysely)).toEqual([]);
});

it('a transaction inside that is no part of the whole is a savepoint, and nothing waits in it', async () => {
  await db.inWholeTransaction(async () => {
    await add(numbers, 1);
    const inner = db.inTransaction(async () => {
      expect(db.whole()).toBeUndefined();
      await insert(db.kysely, 'lost', [2]);
      throw new Error('no');
    });
    await expect(inner).rejects.toThrow('no');
  });
  expect(await names(db.kysely)).toEqual(['waited']);
});
