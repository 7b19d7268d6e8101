import fc from 'fast-check';
import { anyCharacter } from './any-character.ts';

type Some<T> = readonly [T, ...T[]];

const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;

/** JSON texts, good and broken, that a careless reader does not expect. */
const malformedJson: Some<string> = [
  '{}',
  '[]',
  'null',
  '{"a":',
  '{"a":1,"a":2}',
  '{"Sent":1e1000,"Received":-1e1000}',
  '{"Sent":1e-1000}',
  '{"Sent":"5"}',
  `{"Sent":${'9'.repeat(400)}}`,
  '{"a\\u0000":"\\ud800"}',
  '{"__proto__":{"toJSON":1},"constructor":null}',
  `{"Traceroute":"${'z'.repeat(3_000)}"}`,
  nested(60),
  nested(70),
  nested(20_000),
];

/** Texts that are well-formed Unicode, and that a careless reader does not expect. */
export const malformedTexts: Some<string> = [
  '',
  '\0',
  'a\0b',
  'x'.repeat(101),
  'y'.repeat(5_000),
  '\u{202e}\u{fffd}\u{1f4a9}',
  '__proto__',
  "'; drop table checks; --",
  '$1',
  '%s%n',
  '\\u0000',
  '%{secret:A}',
  '***',
  '\r\nlog line',
  '\u001b[2J',
  ...malformedJson,
];

/** Numbers at the bounds of their types. */
export const malformedDoubles: Some<number> = [
  0,
  -0,
  1,
  4.5,
  1e-300,
  5e-324,
  1e-40,
  1e38,
  3.5e38,
  1e300,
  1.7976931348623157e308,
  -1,
  -1e300,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  86_400_000,
  86_400_001,
];
export const malformedUint32s: Some<number> = [
  0,
  1,
  2,
  3,
  9,
  10,
  11,
  32_767,
  32_768,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 1,
];
export const malformedUint64s: Some<bigint> = [
  0n,
  1n,
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 63n - 1n,
  2n ** 63n,
  2n ** 64n - 1n,
];
export const malformedInt64s: Some<bigint> = [
  0n,
  1n,
  -1n,
  2n ** 31n,
  2n ** 53n - 1n,
  2n ** 53n,
  -(2n ** 53n),
  2n ** 63n - 1n,
  -(2n ** 63n),
];

/** Any text; a third of them are among `known`, which passes the first checks of a reader. */
export function malformedText(known: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(...known),
    fc.constantFrom(...malformedTexts, '\ud800'),
    fc.string({ unit: anyCharacter, maxLength: 40 }),
  );
}

/** Any value of JSON, whose objects have some of these names. */
export function malformedValue(names: readonly string[], text: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  return fc.letrec((again) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      text,
      fc.integer(),
      fc.double(),
      fc.constantFrom(...malformedDoubles),
      fc.constantFrom(1, 2, 5, 10, null, true),
      fc.array(again('value'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(fc.constantFrom(...names), text), again('value'), { maxKeys: 4 }),
    ),
  })).value;
}
