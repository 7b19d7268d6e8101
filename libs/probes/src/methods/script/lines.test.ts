import { anyCharacter } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineSplitter, cutWords } from './lines.ts';

test('lines come out whole, however the bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: anyCharacter })),
      fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
      (texts, sizes) => {
        const lines = texts.map((each) => each.replaceAll('\n', ' ').toWellFormed());
        const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(''));
        const seen: string[] = [];
        const split = createLineSplitter(
          10_000,
          (line) => seen.push(line),
          () => expect.fail('too long'),
        );
        for (let at = 0; at < bytes.length; ) {
          const size = sizes.next().value ?? 1;
          split(bytes.subarray(at, at + size));
          at += size;
        }
        expect(seen).toEqual(lines);
      },
    ),
  );
});

test('a line that is too long is reported once and ends the reading', () => {
  const seen: string[] = [];
  const split = createLineSplitter(
    5,
    (line) => seen.push(line),
    () => seen.push('too long'),
  );
  for (const part of ['12345\n12', '34', '56', '\nab\n']) split(Buffer.from(part));
  expect(seen).toEqual(['12345', 'too long']);
});

test.each([
  ['7 line {"a": 1}', ['7', 'line', '{"a": 1}']],
  ['7 end', ['7', 'end']],
  ['', ['']],
])('%j is cut into words', (line, words) => {
  expect(cutWords(line, 2)).toEqual(words);
});
