import { anyCharacter } from '@vantage/kernel/testing';
import { useDatabase } from '@vantage/testing/use-database';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { type CopyColumn, copyRows, type Db, toReal, toText } from '../index.ts';

let db: Db;
useDatabase(
  async (opened) => {
    db = opened;
    await sql`create table copied (no int primary key, small smallint, big bigint, num real, wide double precision,
    word text, facts jsonb, flag boolean, amounts double precision[])`.execute(db.kysely);
  },
  { poolSize: 1 },
);

interface CopiedRow {
  readonly no: number;
  readonly small: number | null;
  readonly big: number | null;
  readonly num: number | null;
  readonly wide: number | null;
  readonly word: string | null;
  readonly facts: string | null;
  readonly flag: boolean | null;
  readonly amounts: readonly (number | null)[] | null;
}

const columns: readonly CopyColumn<CopiedRow>[] = [
  { name: 'no', type: 'int', value: (row) => row.no },
  { name: 'small', type: 'smallint', value: (row) => row.small },
  { name: 'big', type: 'bigint', value: (row) => row.big },
  { name: 'num', type: 'real', value: (row) => row.num },
  { name: 'wide', type: 'double precision', value: (row) => row.wide },
  { name: 'word', type: 'text', value: (row) => row.word },
  { name: 'facts', type: 'jsonb', value: (row) => row.facts },
  { name: 'flag', type: 'boolean', value: (row) => row.flag },
  { name: 'amounts', type: 'double precision[]', value: (row) => row.amounts },
];
const names = sql.join(columns.map(({ name }) => sql.ref(name)));

function copy(rows: readonly CopiedRow[]) {
  return db.kysely
    .transaction()
    .execute((trx) => copyRows(trx, sql`copy copied (${names}) from stdin (format binary)`, columns, rows));
}

const fround = (value: number | null) => value && Math.fround(value);
const nullable = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });
const text = fc.string({ unit: anyCharacter, maxLength: 40 }).map((value) => toText(value, 40));
const row = fc.record({
  no: fc.integer({ min: -0x8000_0000, max: 0x7fff_ffff }),
  small: nullable(fc.integer({ min: -0x8000, max: 0x7fff })),
  big: nullable(fc.maxSafeInteger()),
  num: nullable(fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => toReal(value))),
  wide: nullable(fc.double({ noNaN: true, noDefaultInfinity: true })),
  word: nullable(text),
  facts: nullable(fc.dictionary(text, fc.oneof(text, fc.boolean(), fc.integer()))),
  flag: nullable(fc.boolean()),
  amounts: nullable(
    fc.array(nullable(fc.double({ noNaN: true, noDefaultInfinity: true })), { maxLength: 9 }),
  ),
});

it('property: every row is read back as it was copied, and -0 is 0', async () => {
  const rows = fc.uniqueArray(row, { selector: ({ no }) => no, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(rows, async (given) => {
      await sql`truncate copied`.execute(db.kysely);
      await copy(given.map((one) => ({ ...one, facts: one.facts && JSON.stringify(one.facts) })));
      const { rows: stored } = await sql<CopiedRow>`select * from copied order by no`.execute(db.kysely);
      const plain = (value: number | null) => (value === null ? null : value + 0);
      const expected = given
        .toSorted((a, b) => a.no - b.no)
        .map((one) => ({
          ...one,
          num: fround(plain(one.num)),
          wide: plain(one.wide),
          amounts: one.amounts?.map(plain) ?? null,
        }));
      expect(stored.map((one) => ({ ...one, num: fround(one.num) }))).toEqual(expected);
    }),
    { numRuns: 50 },
  );
});

it('a COPY that PostgreSQL refuses rejects with its reason, and the connection works on', async () => {
  const none = { small: null, big: null, num: null, wide: null, word: null, facts: null, flag: null };
  const blank = { ...none, amounts: null };
  await sql`truncate copied`.execute(db.kysely);
  await copy([{ no: 1, ...blank }]);
  const twice = [
    { no: 2, ...blank },
    { no: 1, ...blank },
  ];
  await expect(copy(twice)).rejects.toMatchObject({ code: '23505' });
  await expect(copy([{ no: 3, ...blank, facts: '{"a":' }])).rejects.toMatchObject({ code: '22P02' });
  await copy([{ no: 4, ...blank }]);
  const { rows } = await sql<{ no: number }>`select no from copied order by no`.execute(db.kysely);
  expect(rows.map(({ no }) => no)).toEqual([1, 4]);
});
