import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandWords } from './redis-command.ts';

test.each([
  ['LLEN jobs', ['LLEN', 'jobs']],
  ['  GET   "a key" ', ['GET', 'a key']],
  [`GET 'it "is"'`, ['GET', 'it "is"']],
  [String.raw`SET a "say \"x\""`, ['SET', 'a', 'say "x"']],
  ['SET a ""', ['SET', 'a', '']],
  ['GET pre"fix key"', ['GET', 'prefix key']],
  ['GET "open', undefined],
  ['   ', undefined],
])('%j is %j', (line, words) => {
  expect(commandWords(line)).toEqual(words);
});

test('words in double quotes come back as they are', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), (words) => {
      const line = words.map((word) => `"${word.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(' ');
      expect(commandWords(line)).toEqual(words);
    }),
    { numRuns: propertyRuns(300) },
  );
});
