import { anyCharacter } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attachment } from './attachment.ts';

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
