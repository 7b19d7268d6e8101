import fc from 'fast-check';
import { expect, it } from 'vitest';
import { repeatedKey } from './repeated-key.ts';

it.each([
  ['{"a":1,"a":2}', ['a']],
  ['{"a":1,"\\u0061":2}', ['a']],
  ['{"a":{"b":[1,{"c":1,"d":"c","c":2}]}}', ['a', 'b', '1', 'c']],
  ['{"":1,"":2}', ['']],
  ['{"a":{"b":1},"b":{"a":"b,\\"a\\":"},"c":["a","a"]}', undefined],
  ['[{"a":1},{"a":1}]', undefined],
  ['5', undefined],
])('%s repeats %j', (text, repeated) => {
  expect(repeatedKey(text)).toEqual(repeated);
});

it('finds nothing in what JSON.stringify writes, and finds each member that is written once more', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), fc.nat(), (value, pick) => {
      const text = JSON.stringify(value);
      expect(repeatedKey(text)).toBeUndefined();
      const names = Object.keys(value);
      const name = names[pick % names.length] ?? '';
      expect(repeatedKey(`${text.slice(0, -1)}, ${JSON.stringify(name)} : null}`)).toEqual([name]);
    }),
  );
});
