import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contentOf, encodeInteger } from '../../testing/ber.ts';
import { berInteger, berText, element, integerOf, readElements } from './ber.ts';

test('integers are those of the tests, which have another encoder, and are read back', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), (value) => {
      expect(berInteger(value)).toEqual(encodeInteger(2, value));
      expect(integerOf(readElements(berInteger(value)).next(2))).toBe(value);
    }),
    { numRuns: propertyRuns(500) },
  );
});

test('elements of every length are read back', () => {
  for (const length of [0, 1, 127, 128, 255, 256, 65_535, 65_536]) {
    const bytes = element(0x30, Buffer.alloc(length, 7));
    if (length < 65_536) expect(contentOf(bytes, 0).end).toBe(bytes.length);
    const reader = readElements(bytes);
    expect(reader.next(0x30).content).toHaveLength(length);
    expect(reader.isAtEnd).toBe(true);
  }
});

test('hostile bytes end in an error or an element within them, never beyond', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (input) => {
      const bytes = Buffer.from(input);
      const reader = readElements(bytes);
      let sum = 0;
      try {
        while (!reader.isAtEnd) sum += reader.next().content.length;
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
      expect(sum).toBeLessThanOrEqual(bytes.length);
    }),
    { numRuns: propertyRuns(1000) },
  );
});

test.each([
  ['a long tag', '1f0100'],
  ['no length', '04'],
  ['an indefinite length', '3080'],
  ['a length of five bytes', '308500000000ff'],
  ['content that is cut off', '0405616263'],
])('%s is an error', (_, hex) => {
  expect(() => readElements(Buffer.from(hex, 'hex')).next()).toThrow('element');
});

test('another tag, and a number that is too long, are errors', () => {
  expect(() => readElements(berText('a')).next(2)).toThrow('tag 4 instead of 2');
  expect(() => integerOf({ tag: 2, content: Buffer.alloc(5) })).toThrow('length');
});
