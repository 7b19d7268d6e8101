import { useDatabase } from '@vantage/testing/use-database';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { bigintArray, type Db, intArray, tidArray, xidArray } from '../index.ts';

let db: Db;
useDatabase(
  (opened) => {
    db = opened;
  },
  { poolSize: 1 },
);

const some = { numRuns: 50 };

test('property: PostgreSQL reads the same numbers from a binary array as from a text', async () => {
  const ints = fc.array(fc.integer());
  const bigints = fc.array(fc.maxSafeInteger());
  await fc.assert(
    fc.asyncProperty(ints, bigints, async (small, large) => {
      const { rows } = await sql<{ same: boolean; length: number }>`
        select ${intArray(small)}::int[] = ${small}::int[] and ${bigintArray(large)}::bigint[] = ${large}::bigint[] as same,
          cardinality(${intArray(small)}::int[]) as length`.execute(db.kysely);
      expect(rows).toEqual([{ same: true, length: small.length }]);
    }),
    some,
  );
});

test('property: PostgreSQL reads the versions of rows that were written', async () => {
  const version = fc.record({
    xmin: fc.integer({ min: 0, max: 0xffff_ffff }),
    page: fc.integer({ min: 0, max: 0xffff_ffff }),
    item: fc.integer({ min: 0, max: 0xffff }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(version), async (versions) => {
      const { rows } = await sql<{ text: string }>`
        select xmin || tid::text as text from unnest(${xidArray(versions)}::xid[], ${tidArray(versions)}::tid[]) as g (xmin, tid)`.execute(
        db.kysely,
      );
      expect(rows.map(({ text }) => text)).toEqual(
        versions.map(({ xmin, page, item }) => `${xmin}(${page},${item})`),
      );
    }),
    some,
  );
});

test('a number that does not fit is refused', () => {
  expect(() => intArray([2 ** 31])).toThrow(RangeError);
  expect(() => bigintArray([2 ** 63])).toThrow(RangeError);
});
