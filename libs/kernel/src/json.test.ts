import { expect, test } from 'vitest';
import { parseJson } from './json.ts';

test.each([
  ['{"a": [1, null]}', { a: [1, null] }],
  ['0', 0],
  ['', undefined],
  ['{"a": ', undefined],
  ["{'a': 1}", undefined],
  [undefined, undefined],
])('%j is %j', (text, value) => {
  expect(parseJson(text)).toEqual(value);
});
