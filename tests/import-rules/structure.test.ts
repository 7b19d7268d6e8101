import { expect, test } from 'vitest';
import { doorsTable, structureTable } from './structure.ts';

test('the table of the structure has a row for each folder, the longest function and factory, and the sums', () => {
  const factory = 'export function make() {\n  const go = () => 1;\n  return { go };\n}\n';
  const files = [
    { file: 'libs/kernel/src/a.ts', text: 'function f() {\n  return 1;\n}\n' },
    { file: 'apps/agent/src/outbox/deep/a.ts', text: factory },
    { file: 'apps/agent/src/outbox/a.ts', text: 'export const a = 1;\n' },
  ];
  expect(structureTable(files).split('\n')).toEqual([
    '| folder | files | lines | longest file | longest function | longest factory |',
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    '| apps/agent/src/outbox | 2 | 5 | 4 | 1 | 4 |',
    '| libs/kernel/src | 1 | 3 | 3 | 3 | 0 |',
    '| all | 3 | 8 | 4 | 3 | 4 |',
  ]);
});

test('the table of doors counts the production files, those with one importer, and the path of each feature', () => {
  const files = [
    { file: 'apps/agent/src/a.ts', text: "import { b } from './b.ts';\nexport const a = () => b();\n" },
    {
      file: 'apps/agent/src/b.ts',
      text: "import type { C } from './c.ts';\nexport const b = (): C => 1;\n".padEnd(140, '\n'),
    },
    { file: 'apps/agent/src/c.ts', text: 'export type C = number;\n' },
    { file: 'apps/agent/src/c.test.ts', text: "import { a } from './a.ts';\nimport './b.ts';\n" },
  ];
  const one = { name: 'one', begins: ['apps/agent/src/a.ts#a'] };
  expect(doorsTable(files, new Map(), [one]).split('\n')).toEqual([
    '| production | count |',
    '| --- | ---: |',
    '| files | 3 |',
    '| lines | 83 |',
    '| files with one importer | 2 |',
    '| of these with at most 40 lines | 1 |',
    '| files on the path: one | 2 |',
  ]);
});
