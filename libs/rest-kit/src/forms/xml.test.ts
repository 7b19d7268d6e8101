import fc from 'fast-check';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { toXml } from './xml.ts';

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
