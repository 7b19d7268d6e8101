import fc from 'fast-check';
import pg from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../../tests/harness/database.ts';
import { numberArrays, readNumberArray } from './number-arrays.ts';

test('arrays of numbers read as node-postgres reads them, whatever they hold', async () => {
  await using database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const types = new Map([
    [1005, 'int2'],
    [1007, 'int4'],
    [1021, 'float4'],
    [1022, 'float8'],
  ]);
  expect([...types.keys()]).toEqual(numberArrays);
  const whole = fc.integer({ min: -32_768, max: 32_767 });
  const text = async (type: string, values: unknown) =>
    String((await client.query(`select $1::${type}[]::text as text`, [values])).rows[0].text);
  try {
    for (const [oid, type] of types) {
      const parse = pg.types.getTypeParser(oid);
      const number = oid === 1005 || oid === 1007 ? whole : fc.float();
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
    const bounded = String((await client.query(`select '[0:1]={1,2}'::int[]::text as text`)).rows[0].text);
    expect(readNumberArray(1007, bounded)).toEqual([1, 2]);
  } finally {
    await client.end();
  }
});
