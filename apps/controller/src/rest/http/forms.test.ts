import { anyCharacter } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { attachment } from './answer.ts';
import { readForm, toCsv, toXml } from './form.ts';

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

describe('the form of an answer', () => {
  it.each([
    ['', 'json'],
    ['*/*', 'json'],
    ['application/json', 'json'],
    ['text/csv', 'csv'],
    ['TEXT/CSV; header=present', 'csv'],
    ['application/xml', 'xml'],
    ['text/xml;q=0.4, application/json;q=0.3', 'xml'],
    ['text/csv;q=0.4, application/json', 'json'],
    ['text/csv, */*;q=0.1', 'csv'],
    ['application/*', 'json'],
    ['application/json;q=0, application/*', 'xml'],
    ['text/csv;q=0', 'json'],
    ['image/png', 'json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'json'],
  ])('by Accept: %s is %s (RFC 9110, section 12.5.1)', (accept, format) => {
    expect(readForm(new URLSearchParams(), ['json', 'xml', 'csv'], accept).format).toBe(format);
    expect(readForm(new URLSearchParams(), ['json'], accept).format).toBe('json');
    expect(readForm(new URLSearchParams('fmt=xml'), ['json', 'xml', 'csv'], accept).format).toBe('xml');
  });
});

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

describe('XML', () => {
  it('names rows in the singular and what has no name', () => {
    expect(
      toXml([{ Status: 'Up', Tags: [{ Name: 'a&b' }], FullName: null }], { root: 'devices', row: 'device' }),
    ).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<devices><device><Status>Up</Status><Tags><Tag><Name>a&amp;b</Name></Tag></Tags><FullName/></device></devices>\n',
    );
    expect(toXml({ Headers: { 'X-A b"<': 'v', Ok: 1 } }, { root: 'device' })).toContain(
      '<Headers><Ok>1</Ok><entry name="X-A b&quot;&lt;">v</entry></Headers>',
    );
    for (const [list, row] of [
      ['ExpectStatus', 'ExpectStatus'],
      ['Addresses', 'Address'],
      ['Retries', 'Retry'],
      ['CompareSOAWith', 'item'],
    ])
      expect(toXml({ [list ?? '']: [1] }, { root: 'r' })).toContain(`<${row}>1</${row}></${list}></r>`);
    expect(toXml([], { root: 'devices', row: 'device' })).toContain('<devices/>');
    expect(toXml({ '-s': [1] }, { root: 'r' })).toContain('<entry name="-s"><item>1</item></entry>');
  });

  it('is well-formed and keeps the text for anything that JSON can hold', () => {
    const parser = new XMLParser({ ignoreAttributes: false, parseTagValue: false, trimValues: false });
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), (value) => {
        expect(XMLValidator.validate(toXml({ value }, { root: 'device' }))).toBe(true);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
        const read = parser.parse(toXml({ Name: `[${text}]` }, { root: 'device' }));
        expect(read.device.Name).toBe(`[${text}]`);
      }),
    );
    expect(toXml({ a: '\u0000\u0001\uFFFE\uD800x' }, { root: 'r' })).toContain('<a>\uFFFDx</a>');
  });
});

describe('filename=', () => {
  it.each([
    ['devices.csv', 'attachment; filename="devices.csv"'],
    ['a b.csv', 'attachment; filename="a b.csv"'],
    ['../../etc/passwd', 'attachment; filename="passwd"'],
    ['C:\\x\\y.txt', 'attachment; filename="y.txt"'],
    ['a"b;c.csv', `attachment; filename="a_b_c.csv"; filename*=UTF-8''a%22b%3Bc.csv`],
    ['Prüfung.csv', `attachment; filename="Pr_fung.csv"; filename*=UTF-8''Pr%C3%BCfung.csv`],
    ["it's (1)*.csv", 'attachment; filename="it\'s (1)*.csv"'],
    ['a\r\nSet-Cookie: x=1', 'attachment; filename="aSet-Cookie: x=1"'],
    ['', undefined],
    ['..', undefined],
    ['\r\n', undefined],
  ])('%j', (name, expected) => {
    expect(attachment(name)).toBe(expected);
  });

  it('never splits a header, whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (name) => {
        expect(attachment(name) ?? '').toMatch(
          /^(attachment; filename="[\x20-\x7e]*"(; filename\*=UTF-8''[A-Za-z0-9!#$&+.^_`|~%-]+)?)?$/,
        );
      }),
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
