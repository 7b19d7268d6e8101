import { Socket } from 'node:net';
import { useDatabase } from '@vantage/testing/use-database';
import fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import { afterEach, expect, it, vi } from 'vitest';
import { type Db, pipelined, type Tables } from '../index.ts';

let db: Db;
useDatabase(
  async (opened) => {
    db = opened;
    await sql`create table steps (no int primary key)`.execute(db.kysely);
  },
  { poolSize: 1 },
);

afterEach(() => vi.restoreAllMocks());
/** Inserts a number, and resolves with all numbers that are there. */
async function insert(trx: Kysely<Tables>, no: number): Promise<readonly number[]> {
  const { rows } = await sql<{ nos: number[] }>`
    with fresh as (insert into steps values (${no}::int) returning no)
    select array(select no from steps union all select no from fresh order by 1) as nos`.execute(trx);
  return rows[0]?.nos ?? [];
}

/** Removes the numbers up to this one, through the query builder, and resolves with them. */
async function remove(trx: Kysely<Tables>, no: number): Promise<readonly number[]> {
  const rows = await trx
    .withTables<{ steps: { no: number } }>()
    .deleteFrom('steps')
    .where('no', '<=', no)
    .returning('no')
    .execute();
  return rows.map((row) => row.no).sort((a, b) => a - b);
}

type PipelineStep = { readonly kind: 'insert' | 'remove' | 'both'; readonly no: number };
const step = fc.record({
  kind: fc.constantFrom('insert', 'remove', 'both'),
  no: fc.integer({ min: 0, max: 20 }),
});

async function run(trx: Kysely<Tables>, { kind, no }: PipelineStep): Promise<unknown> {
  if (kind === 'insert') return insert(trx, no);
  if (kind === 'remove') return remove(trx, no);
  return [await remove(trx, no), await remove(trx, no)];
}

/** The outcomes, or the text of the error; all that was done is undone. */
async function outcome(steps: readonly PipelineStep[], how: 'pipelined' | 'one by one'): Promise<unknown> {
  const undo = new Error('undo');
  let outcomes: unknown;
  const error = await db.kysely
    .transaction()
    .execute(async (trx) => {
      const done: unknown[] = [];
      if (how === 'one by one') for (const each of steps) done.push(await run(trx, each));
      else done.push(...(await pipelined(trx, (pipe) => steps.map((each) => run(pipe, each)))));
      outcomes = done;
      throw undo;
    })
    .catch((thrown: unknown) => thrown);
  return error === undo ? outcomes : String(error);
}

it('pipelined statements do what they do one by one, also where one of them fails', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (all) => {
      // A second statement comes after the first ones of the others, so a step of two statements stands at the end.
      const steps = all.map(
        (each, at): PipelineStep =>
          each.kind === 'both' && at < all.length - 1 ? { ...each, kind: 'insert' } : each,
      );
      expect(await outcome(steps, 'pipelined')).toEqual(await outcome(steps, 'one by one'));
    }),
    { numRuns: 100 },
  );
});

it('a statement that fails makes it reject with its error when all are settled, and the connection works on', async () => {
  let settled = 0;
  const both = db.kysely.transaction().execute((trx) =>
    pipelined(trx, (pipe) => [
      insert(pipe, 1),
      sql`select 1 / 0`.execute(pipe).finally(() => {
        settled += 1;
      }),
      insert(pipe, 2)
        .catch(() => insert(pipe, 3))
        .finally(() => {
          settled += 1;
        }),
    ]),
  );
  await expect(both).rejects.toThrow('division by zero');
  expect(settled).toBe(2);
  expect((await sql`select no from steps`.execute(db.kysely)).rows).toEqual([]);
});

it('statements of one turn are one write to the server', async () => {
  const writes = vi.spyOn(Socket.prototype, '_writev');
  await db.kysely.transaction().execute(async (trx) => {
    const numbers = await pipelined(trx, (pipe) =>
      [1, 2, 3, 4].map(async (no) => (await sql<{ no: number }>`select ${no}::int as no`.execute(pipe)).rows),
    );
    expect(numbers).toEqual([[{ no: 1 }], [{ no: 2 }], [{ no: 3 }], [{ no: 4 }]]);
    // BEGIN goes with them.
    expect(writes).toHaveBeenCalledTimes(1);
  });
});

it('an open transaction sends pipelined statements in their order', async () => {
  const lists = await db.inTransaction(({ kysely }) =>
    pipelined(kysely, (pipe) => [insert(pipe, 1), insert(pipe, 2), remove(pipe, 9)]),
  );
  expect(lists).toEqual([[1], [1, 2], [1, 2]]);
});

it('statements that a pipelined function sends together stand before those of the functions after it', async () => {
  const undo = new Error('undo');
  const nested = db.kysely.transaction().execute(async (trx) => {
    const lists = await pipelined(trx, (pipe) => [
      insert(pipe, 1),
      pipelined(pipe, (inner) => [insert(inner, 2), insert(inner, 3)]),
      insert(pipe, 4),
    ]);
    expect(lists).toEqual([
      [1],
      [
        [1, 2],
        [1, 2, 3],
      ],
      [1, 2, 3, 4],
    ]);
    throw undo;
  });
  await expect(nested).rejects.toBe(undo);
});
