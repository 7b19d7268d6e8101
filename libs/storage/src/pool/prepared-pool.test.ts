import { Socket } from 'node:net';
import type { TestDatabase } from '@vantage/testing/database';
import { useDatabase } from '@vantage/testing/use-database';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Db, executeCached, isTransientDbError } from '../index.ts';
import { createPreparer } from './prepared-pool.ts';

let database: TestDatabase;
let db: Db;
useDatabase(
  (opened, made) => {
    db = opened;
    database = made;
  },
  { poolSize: 1 },
);

it('a statement is prepared from its third run on, under a name of its own', () => {
  const prepare = createPreparer();
  const names = ['a', 'a', 'b', 'a', 'a', 'b', 'b'].map((text) => prepare(text, [1]).name);
  expect(names).toEqual([undefined, undefined, undefined, 'vantage_0', 'vantage_0', undefined, 'vantage_1']);
});

it('a statement without parameters is never prepared', () => {
  const prepare = createPreparer();
  for (let run = 0; run < 5; run += 1) expect(prepare('begin', []).name).toBeUndefined();
});

it('a connection prepares 200 statements at most', () => {
  const prepare = createPreparer();
  const names = new Set<string | undefined>();
  for (let run = 0; run < 3; run += 1)
    for (let no = 0; no < 300; no += 1) names.add(prepare(`select ${no} + $1`, [1]).name);
  names.delete(undefined);
  expect(names.size).toBe(200);
});

it('PostgreSQL plans a repeated statement once, and its answers stay the same', async () => {
  const half = async (no: number) =>
    (await sql<{ half: number }>`select ${no}::int / 2 as half`.execute(db.kysely)).rows[0]?.half;
  for (const no of [2, 4, 6, 8, 10]) expect(await half(no)).toBe(no / 2);
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from pg_prepared_statements where statement like '%/ 2 as half'`.execute(
    db.kysely,
  );
  expect(rows).toEqual([{ n: 1 }]);
});

it('a prepared statement works on after it failed, also where it failed in an aborted transaction', async () => {
  const inverse = (no: number, of = db.kysely) => sql`select 1 / ${no}::int as inverse`.execute(of);
  for (let run = 0; run < 4; run += 1) await expect(inverse(0)).rejects.toThrow('division by zero');
  expect((await inverse(1)).rows).toEqual([{ inverse: 1 }]);
  const twice = (of = db.kysely) => sql`select ${2}::int * 2 as twice`.execute(of);
  await twice();
  await twice();
  const aborted = db.kysely.transaction().execute(async (trx) => {
    await inverse(0, trx).catch(() => {});
    await twice(trx);
  });
  await expect(aborted).rejects.toThrow('current transaction is aborted');
  expect((await twice()).rows).toEqual([{ twice: 4 }]);
});

it('a prepared statement follows a changed table', async () => {
  await sql`create table changing (no int primary key, text varchar(10))`.execute(db.kysely);
  const read = () => sql`select no from changing where no = ${1}::int`.execute(db.kysely);
  for (let run = 0; run < 6; run += 1) expect((await read()).rows).toEqual([]);
  await sql`alter table changing add column more int default 3`.execute(db.kysely);
  await sql`insert into changing (no) values (1)`.execute(db.kysely);
  expect((await read()).rows).toEqual([{ no: 1 }]);
});

it('a statement that is kept gets its values in their places, and its text is made once for a key', async () => {
  let built = 0;
  const both = (key: string, values: readonly number[], more: number) =>
    executeCached(db.kysely, key, values, ([one = 0, other = 0]) => {
      built += 1;
      return sql`select ${other}::int as other, ${one}::bigint as one, ${more}::int as more, ${[more]}::int[] as all, ${one}::bigint as again`;
    });
  const row = (one: number, other: number, more: number) => [{ other, one, more, all: [more], again: one }];
  expect(await both('a', [5, 6], 1)).toEqual(row(5, 6, 1));
  expect(await both('a', [6, 5], 1)).toEqual(row(6, 5, 1));
  expect(built).toBe(2); // twice, to compare
  expect(await both('b', [8, 8], 2)).toEqual(row(8, 8, 2));
  expect(await both('a', [-1, -2], 1)).toEqual(row(-1, -2, 1));
  expect(built).toBe(4);
});

it('texts and arrays are values of a kept statement, too', async () => {
  const read = (text: string, numbers: readonly number[]) =>
    executeCached(
      db.kysely,
      'text and array',
      [text, numbers],
      ([shown, all]) => sql`select ${shown}::text as text, ${all}::int[] as all, ${shown} = 'a' as "isA"`,
    );
  expect(await read('a', [1, 2])).toEqual([{ text: 'a', all: [1, 2], isA: true }]);
  expect(await read('b', [])).toEqual([{ text: 'b', all: [], isA: false }]);
});

it('a statement whose text or parameters are made of its values is not kept', async () => {
  const inText = executeCached(
    db.kysely,
    'text',
    [5],
    ([no]) => sql`select ${sql.lit(no)} as no, ${1}::int as one`,
  );
  await expect(inText).rejects.toThrow(TypeError);
  const summed = executeCached(db.kysely, 'sum', [5], ([no]) => sql`select ${no + 7}::int as no`);
  await expect(summed).rejects.toThrow(TypeError);
  const inside = executeCached(db.kysely, 'array', [5], ([no]) => sql`select ${[no]}::int[] as no`);
  await expect(inside).rejects.toThrow(TypeError);
});

describe('a transaction', () => {
  let other: pg.Client;
  beforeAll(async () => {
    other = new pg.Client({ connectionString: database.url });
    await other.connect();
  });
  afterAll(() => other.end());

  /** The server's state of the connection of a pool of one. */
  const stateOf = async (pid: number) => {
    const { rows } = await other.query<{ state: string }>(
      'select state from pg_stat_activity where pid = $1',
      [pid],
    );
    return rows[0]?.state;
  };
  const ownPid = async (of = db.kysely) =>
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(of)).rows[0]?.pid ?? 0;

  it('begins with its first statement, and one without statements sends nothing', async () => {
    const pid = await ownPid();
    const states: unknown[] = [];
    await db.kysely.transaction().execute(async (trx) => {
      states.push(await stateOf(pid));
      expect(await ownPid(trx)).toBe(pid);
      states.push(await stateOf(pid));
    });
    states.push(await stateOf(pid));
    expect(states).toEqual(['idle', 'idle in transaction', 'idle']);
    const writes = vi.spyOn(Socket.prototype, 'write');
    await db.kysely.transaction().execute(async () => {});
    const failed = db.kysely.transaction().execute(() => Promise.reject(new Error('no statement')));
    await expect(failed).rejects.toThrow('no statement');
    expect(writes).not.toHaveBeenCalled();
    vi.restoreAllMocks();
    expect((await sql`select 1 as one`.execute(db.kysely)).rows).toEqual([{ one: 1 }]);
  });

  it('whose first statement fails is rolled back, and the next one begins anew', async () => {
    const failed = db.kysely.transaction().execute((trx) => sql`select 1 / 0`.execute(trx));
    await expect(failed).rejects.toThrow('division by zero');
    const pid = await ownPid();
    expect(await stateOf(pid)).toBe('idle');
    await db.kysely
      .transaction()
      .execute(async (trx) => {
        await sql`create temporary table gone (no int)`.execute(trx);
        throw new Error('undo');
      })
      .catch(() => {});
    const { rows } = await sql`select to_regclass('gone') as found`.execute(db.kysely);
    expect(rows).toEqual([{ found: null }]);
  });

  it('whose connection the server ended fails with an error that is tried again', async () => {
    const pid = await ownPid();
    const cut = db.kysely.transaction().execute(async (trx) => {
      await other.query('select pg_terminate_backend($1)', [pid]);
      await sql`select 1`.execute(trx);
    });
    const error = await cut.catch((thrown: unknown) => thrown);
    expect(isTransientDbError(error)).toBe(true);
    expect((await sql`select 1 as one`.execute(db.kysely)).rows).toEqual([{ one: 1 }]);
  });
});
