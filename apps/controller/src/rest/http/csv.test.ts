import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { csvColumns, toCsv } from './form.ts';

describe('the columns of a CSV', () => {
  test('are those of the schema, nested names joined by a dot, of a union those of all its forms', () => {
    const schema = z.array(
      z.strictObject({
        id: z.string(),
        Uptime: z.strictObject({ UpSeconds: z.int(), Percent: z.number() }).nullable(),
        Tags: z.array(z.string()),
        Options: z
          .union([z.strictObject({ Count: z.int() }), z.strictObject({ Body: z.string() })])
          .optional(),
        Extra: z.record(z.string(), z.unknown()),
      }),
    );
    expect(csvColumns(schema)).toEqual([
      'id',
      'Uptime.UpSeconds',
      'Uptime.Percent',
      'Tags',
      'Options.Count',
      'Options.Body',
      'Extra',
    ]);
  });

  test('of a list of texts and of a plain text are Value', () => {
    expect(csvColumns(z.array(z.string()))).toEqual(['Value']);
    expect(toCsv(['a', 'b'], undefined, ['Value'])).toBe('Value\r\na\r\nb\r\n');
  });

  test('do not depend on the rows: what a row lacks is empty, what the schema lacks is not shown', () => {
    const columns = ['id', 'A.b', 'A.c', 'Map'];
    const rows = [{ id: 1, A: null, Map: { x: 1 } }, { id: 2, A: { b: true }, Other: 3 }, { id: 3 }];
    expect(toCsv(rows, 'id', columns)).toBe(
      ['id,A.b,A.c,Map', '1,,,"{""x"":1}"', '2,true,,', '3,,,', ''].join('\r\n'),
    );
  });
});
