import { anyCharacter } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { csvColumns, toCsv } from './csv.ts';

const hostile = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  ' =1',
  '\u0000=1',
  '＝1',
  '%0A',
  '|cmd',
  'a,b',
  'a"b',
  'a\r\nb',
  "'=1",
];

describe('CSV', () => {
  it('begins with the own id, unquoted, flattens what is nested and joins lists', () => {
    const row = {
      Status: 'Up',
      device_id: 'abc',
      Uptime: { UpSeconds: 1 },
      Locations: ['a', 'b'],
      Tags: [{ Name: 'x' }],
      n: null,
      b: true,
    };
    const columns = ['Status', 'device_id', 'Uptime.UpSeconds', 'Locations', 'Tags', 'n', 'b'];
    expect(toCsv([row], 'device_id', columns)).toBe(
      'device_id,Status,Uptime.UpSeconds,Locations,Tags,n,b\r\nabc,Up,1,a;b,"{""Name"":""x""}",,true\r\n',
    );
    expect(toCsv(row, 'device_id', columns)).toBe(toCsv([row], 'device_id', columns));
  });

  it('has a header row when there is no row', () => {
    expect(toCsv([], 'id', ['Name', 'id'])).toBe('id,Name\r\n');
  });

  it('lets no text run as a formula, in cells, lists and headers; numbers stay numbers', () => {
    for (const text of hostile.slice(0, 11))
      for (const row of [{ a: text }, { a: [text, 'x'] }, { [text]: 1 }]) {
        const cells = parse(toCsv([row], undefined, Object.keys(row))).flat();
        expect(cells.filter((cell) => /^[\s\p{Cc}]*[=+\-@|%＝]/u.test(cell))).toEqual([]);
      }
    expect(toCsv([{ a: -5.5 }], undefined, ['a'])).toBe('a\r\n-5.5\r\n');
  });

  it.each(['a\nb', 'a\rb', 'a\r\nb', '\nb'])('keeps a line break within its cell: %j', (value) => {
    expect(parse(toCsv([{ a: value, b: 1 }], undefined, ['a', 'b']))[1]).toHaveLength(2);
  });

  it('is read back cell by cell by RFC 4180', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: anyCharacter }), { minLength: 1, maxLength: 4 }), (texts) => {
        const row = Object.fromEntries(texts.map((text, i) => [`c${i}`, text]));
        const cells = parse(toCsv([row], undefined, Object.keys(row)))[1] ?? [];
        expect(cells.map((cell, i) => cell === texts[i] || cell === `'${texts[i]}`)).toEqual(
          texts.map(() => true),
        );
      }),
    );
  });
});

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

/** A reader of RFC 4180 that knows nothing of how we write. */
function parse(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < text.length; ) {
    let cell = '';
    if (text[at] === '"') {
      for (at += 1; !(text[at] === '"' && text[at + 1] !== '"'); at += text[at] === '"' ? 2 : 1)
        cell += text[at];
      at += 1;
    } else while (at < text.length && !/[,\r\n]/.test(text[at] ?? '')) cell += text[at++];
    row.push(cell);
    if (text[at] !== ',' && !text.startsWith('\r\n', at)) throw new Error(`a bare line break at ${at}`);
    if (text[at] === ',') at += 1;
    else {
      at += 2;
      rows.push(row);
      row = [];
    }
  }
  return rows;
}
