import { expect, test } from 'vitest';
import { structureTable } from './structure.ts';

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
