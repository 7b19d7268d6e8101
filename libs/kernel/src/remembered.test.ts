import { expect, test } from 'vitest';
import { remembered } from './remembered.ts';

test('computes an answer once, an undefined one too, until so many are known that all are forgotten', () => {
  const computed: string[] = [];
  const known = new Map<string, { answer: number | undefined }>();
  const lengthOf = remembered(known, 2, (text) => {
    computed.push(text);
    return text === '' ? undefined : text.length;
  });
  expect([lengthOf('ab'), lengthOf(''), lengthOf('ab'), lengthOf('')]).toEqual([2, undefined, 2, undefined]);
  expect(computed).toEqual(['ab', '']);
  expect(lengthOf('abc')).toBe(3);
  expect([...known.keys()]).toEqual(['abc']);
  expect(lengthOf('ab')).toBe(2);
  expect(computed).toEqual(['ab', '', 'abc', 'ab']);
});
