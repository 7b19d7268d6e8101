import { expect, test } from 'vitest';
import { badFile } from './file-rules.ts';

const faultsOf = (text: string) => badFile({ file: 'libs/kernel/src/a.ts', text });

test('a comment fits its line, a row of a table need not', () => {
  const long = 'word '.repeat(30);
  const fault = 'libs/kernel/src/a.ts: line 2, a comment, is longer than 120';
  expect(faultsOf(`f();\n// ${long}\n`)).toEqual([fault]);
  expect(faultsOf(`/**\n * ${long}\n */\nf();\n`)).toEqual([fault]);
  expect(faultsOf(`/**\n *   state | ${long}\n * | state | ${long}\n */\nf();\n`)).toEqual([]);
});

test.each(['What', 'Makes'])('a docstring does not begin with %s', (word) => {
  const fault = `libs/kernel/src/a.ts: a docstring begins with "${word}"`;
  expect(faultsOf(`/** ${word} the queue. */\nf();\n`)).toEqual([fault]);
  expect(faultsOf(`/**\n * ${word} the queue.\n */\nf();\n`)).toEqual([fault]);
  expect(faultsOf(`/** Creates the queue. ${word} it holds. */\nf();\n`)).toEqual([]);
});
