import { useDatabase } from '@vantage/testing/use-database';
import { type Kysely, sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { type Batch, combinedWrites, type Db, type Tables } from '../index.ts';

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
const kindOf = (name: string) =>
  combinedWrites<number[]>({
    begin: () => [],
    write: async (trx, nos) => void (await insert(trx, name, nos)),
  });
const numbers = kindOf('number');
const others = kindOf('other');
const batchOf = ({ batch }: Db): Batch => {
  if (batch === undefined) throw new Error('no batch');
  return batch;
};
const inserts = () => sent.filter((text) => text.includes('insert into steps')).length;

it('what many parts add is one statement, sent before the commit', async () => {
  await db.inBatch(async (open) => {
    for (let no = 1; no <= 50; no += 1)
      await open.catalogTransaction(async ({ batch }) => void (batch && numbers.of(batch).push(no)));
    expect(await names(open.kysely)).toEqual([]);
  });
  expect(await names(db.kysely)).toHaveLength(50);
  expect(inserts()).toBe(1);
  expect(sent.filter((text) => text.includes('savepoint'))).toEqual([]);
});

it('a flush writes all kinds in the order in which they began, and later additions come later', async () => {
  await db.inBatch(async (open) => {
    const batch = batchOf(open);
    others.of(batch).push(1);
    numbers.of(batch).push(2);
    others.of(batch).push(3);
    await batch.flush();
    expect(await names(open.kysely)).toEqual(['other', 'number', 'other']);
    numbers.of(batch).push(4);
  });
  expect(sent.filter((text) => text.startsWith('insert into steps')).length).toBe(3);
  expect(await names(db.kysely)).toEqual(['other', 'number', 'other', 'number']);
});

it('a scope inside finds everything written, and is no batch', async () => {
  await db.inBatch(async (open) => {
    numbers.of(batchOf(open)).push(1);
    await open.inScope([], async (limited) => {
      expect(await names(limited.kysely)).toEqual(['number']);
      expect(limited.batch).toBeUndefined();
    });
  });
});

it('a repeated read is answered from memory until the next flush', async () => {
  const ask = sql<{ count: number }>`select count(*)::int as count from steps`;
  const asked = () => sent.filter((text) => text.includes('count(*)')).length;
  await db.inBatch(async (open) => {
    const batch = batchOf(open);
    numbers.of(batch).push(1);
    for (let time = 0; time < 3; time += 1)
      expect((await ask.execute(batch.reading)).rows).toEqual([{ count: 0 }]);
    expect(asked()).toBe(1);
    await batch.flush();
    expect((await ask.execute(batch.reading)).rows).toEqual([{ count: 1 }]);
    expect(asked()).toBe(2);
  });
});

it('a failed part takes back what was added, also where its error is caught', async () => {
  const failed = db.inBatch(async (open) => {
    numbers.of(batchOf(open)).push(1);
    await expect(open.catalogTransaction(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(names(open.kysely)).rejects.toThrow('no');
  });
  await expect(failed).rejects.toThrow('no');
  expect(await names(db.kysely)).toEqual([]);
});
