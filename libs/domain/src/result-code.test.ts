import { expect, test } from 'vitest';
import { isGood, isInconclusive, isResultCode, resultCode, verdictOf, verdictSql } from './result-code.ts';

test('every code has one verdict, and the verdicts in SQL name each code once', () => {
  const codes = Object.values(resultCode);
  expect(codes.map((code) => verdictOf(code))).toEqual([
    'good',
    ...Array.from({ length: 7 }, () => 'bad'),
    'inconclusive',
    'inconclusive',
  ]);
  const inSql = (['good', 'bad', 'inconclusive'] as const).flatMap((verdict) =>
    (verdictSql(verdict, 'c.code').match(/\d+/g) ?? []).map(Number),
  );
  expect(inSql.sort((a, b) => a - b)).toEqual(codes);
  expect(verdictSql('inconclusive', 'c.code')).toBe('c.code in (9, 10)');
});

test('only 1 is good, and only 9 and 10 are inconclusive', () => {
  const numbers = Array.from({ length: 14 }, (_, i) => i - 1);
  expect(numbers.filter(isGood)).toEqual([1]);
  expect(numbers.filter(isInconclusive)).toEqual([9, 10]);
});

test('a number that is no code is known as such, and is bad', () => {
  for (const code of [0, 11, -1, 1.5, Number.NaN]) {
    expect(isResultCode(code)).toBe(false);
    expect(verdictOf(code)).toBe('bad');
  }
});
