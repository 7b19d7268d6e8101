import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readJsonObject } from './json-text.ts';

const most = 1_000_000;
const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

test.each([
  ['an ordinary object', '{"Address":"::1","Sent":5,"true":true,"e":"1e999","n":-0.5}'],
  ['64 levels', nested(64)],
  ['brackets within a text', `{"a":"${'['.repeat(100)}","b":"\\"[["}`],
])('%s is returned unchanged', (_what, text) => {
  expect(readJsonObject(text, most)).toBe(text);
});

test.each([
  ['a number beyond a float8', '{"Sent":1e1000}'],
  ['a negative number beyond a float8', '{"a":[{"b":-1E999}]}'],
  ['a number of 400 digits', `{"Sent":${'9'.repeat(400)}}`],
  ['65 levels', nested(65)],
  ['100,000 levels', nested(100_000)],
  ['an array', '[1]'],
  ['a text that is not JSON', '{"a":1'],
  ['a NUL', '{"a":"\0"}'],
])('%s is refused', (_what, text) => {
  expect(readJsonObject(text, most)).toBeUndefined();
});

test.each([
  ['an underflow', '{"a":1e-1000}', '{"a":0}'],
  ['an underflow without an exponent', `{"a":0.${'0'.repeat(400)}1}`, '{"a":0}'],
  ['an escaped NUL', '{"k\\u0000":"x\\u0000"}', '{"k\u{fffd}":"x\u{fffd}"}'],
  ['half of a surrogate pair', '{"a":"\\ud800"}', '{"a":"\u{fffd}"}'],
])('%s is replaced by a value that a column accepts', (_what, text, stored) => {
  expect(readJsonObject(text, most)).toBe(stored);
});

test('a text longer than the limit is refused before it is read', () => {
  expect(readJsonObject('{"a":1}', 6)).toBeUndefined();
});

test('any object of ordinary depth reads as the same object', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), (value) => {
      const text = JSON.stringify(value);
      expect(JSON.parse(readJsonObject(text, most) ?? '')).toEqual(JSON.parse(text));
    }),
  );
});
