import { createTestDatabase } from '@vantage/testing/database';
import fc from 'fast-check';
import pg from 'pg';
import { expect, test } from 'vitest';
import { numberArrays, readNumberArray } from './number-arrays.ts';

test('arrays of numbers read as node-postgres reads them, whatever they hold', async () => {
  await using database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const types = new Map([
    [1005, 'int2'],
    [1007, 'int4'],
    [1016, 'int8'],
    [1021, 'float4'],
    [1022, 'float8'],
  ]);
  expect([...types.keys()]).toEqual(numberArrays);
  const whole = (bits: number) => fc.integer({ min: -(2 ** bits), max: 2 ** bits - 1 });
  const text = async (type: string, values: unknown) =>
    String((await client.query(`select $1::${type}[]::text as text`, [values])).rows[0].text);
  try {
    for (const [oid, type] of types) {
      const plain = pg.types.getTypeParser(oid);
      const parse = (sent: string) => (oid === 1016 ? asNumbers(plain(sent)) : plain(sent));
      const number = type.startsWith('int') ? whole(oid === 1016 ? 52 : 15) : fc.float();
      const items = fc.oneof({ weight: 9, arbitrary: number }, { weight: 1, arbitrary: fc.constant(null) });
      const pairs = fc.array(fc.tuple(number, number), { maxLength: 9 });
      await fc.assert(
        fc.asyncProperty(fc.oneof(fc.array(items, { maxLength: 9 }), pairs), async (values) => {
          const sent = await text(type, values);
          expect(readNumberArray(oid, sent)).toEqual(parse(sent));
        }),
        { numRuns: 60 },
      );
    }
    // The times of an array column are compared with numbers (page_news.notes_us).
    expect(readNumberArray(1016, '{1795763051424092}')).toEqual([1_795_763_051_424_092]);
    const bounded = String((await client.query(`select '[0:1]={1,2}'::int[]::text as text`)).rows[0].text);
    expect(readNumberArray(1007, bounded)).toEqual([1, 2]);
  } finally {
    await client.end();
  }
});

/** node-postgres reads int8 as text. */
function asNumbers(read: unknown): unknown {
  if (Array.isArray(read)) return read.map(asNumbers);
  return read === null ? null : Number(read);
}
