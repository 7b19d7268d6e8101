import { expect, test } from 'vitest';
import { filesOf } from './feature-paths.ts';

const entries = new Map([['@vantage/health', 'libs/health/src/index.ts']]);
const at = (files: Readonly<Record<string, string>>, ...begins: readonly string[]) =>
  filesOf(
    { name: 'it', begins },
    Object.entries(files).map(([file, text]) => ({ file, text })),
    entries,
  );

test('a path has the files of what a function uses, over imports, re-exports and other packages', () => {
  const files = {
    'apps/a/src/begin.ts': `import { step } from './step.ts';
      import { type Status, judge as decide } from '@vantage/health';
      export function begin(): Status { return decide(step); }
      export function other() { return unused(); }
      import { unused } from './unused.ts';`,
    'apps/a/src/step.ts': 'const one = 1; export const step = one;',
    'apps/a/src/unused.ts': 'export function unused() {}',
    'libs/health/src/index.ts': "export { judge, type Status } from './judge.ts';",
    'libs/health/src/judge.ts': 'export type Status = 1; export function judge(step) { return step; }',
  };
  expect(at(files, 'apps/a/src/begin.ts#begin')).toEqual([
    'apps/a/src/begin.ts',
    'apps/a/src/step.ts',
    'libs/health/src/judge.ts',
  ]);
});

test('types, keys, members and names of libs/kernel lead nowhere', () => {
  const files = {
    'apps/a/src/begin.ts': `import { wait } from '../../../libs/kernel/src/wait.ts';
      import { step } from './step.ts';
      import type { Shape } from './shape.ts';
      export const begin = (x: Shape) => wait({ step: x.step as Shape });`,
    'apps/a/src/step.ts': 'export const step = 1;',
    'apps/a/src/shape.ts': 'export interface Shape {}',
    'libs/kernel/src/wait.ts': 'export const wait = () => {};',
  };
  expect(at(files, 'apps/a/src/begin.ts#begin')).toEqual(['apps/a/src/begin.ts']);
});

test('a list of all Methods counts, and what it lists does not', () => {
  const files = {
    'libs/probes/src/engine/run.ts': `import { registry } from './registry.ts';
      export const run = () => registry;`,
    'libs/probes/src/engine/registry.ts': `import { ping } from '../methods/ping.ts';
      export const registry = { ping };`,
    'libs/probes/src/methods/ping.ts': 'export const ping = 1;',
  };
  expect(at(files, 'libs/probes/src/engine/run.ts#run')).toEqual([
    'libs/probes/src/engine/registry.ts',
    'libs/probes/src/engine/run.ts',
  ]);
});

test('a function that is not there is named', () => {
  expect(() => at({ 'a.ts': 'export const a = 1;' }, 'a.ts#b')).toThrow('it: there is no a.ts#b');
});
