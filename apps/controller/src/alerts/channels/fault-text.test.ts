import { expect, test } from 'vitest';
import { faultText } from './fault-text.ts';

const withCode = (code: string) => Object.assign(new Error('to https://user:secret@host'), { code });

test.each([
  ['a known code', withCode('ECONNREFUSED'), 'host refuses the connection'],
  ['a fault of the HTTP parser', withCode('HPE_INVALID_CONSTANT'), 'host does not speak HTTP there'],
  ['a code that nobody knows', withCode('EWHAT'), 'the connection to host failed (EWHAT)'],
  ['no code', new Error('to https://user:secret@host'), 'the connection to host failed'],
  ['no error', 'secret', 'the connection to host failed'],
])('%s has words, and never the text of the error', (_what, error, text) => {
  expect(faultText(error, 'host')).toBe(text);
});
