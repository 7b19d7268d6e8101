import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generateDeclarations } from './script-declarations.ts';

const documents = fileURLToPath(new URL('../../../../docs/script/', import.meta.url));
const compiler = fileURLToPath(new URL('../../../../node_modules/.bin/tsc', import.meta.url));
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vantage-declarations-'));
  cpSync(documents, folder, { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The errors that an editor would mark in these files, as `file(line,column): error …`. */
function faultsIn(...files: readonly string[]): readonly string[] {
  const flags = ['--noEmit', '--allowJs', '--checkJs', '--strict', '--exactOptionalPropertyTypes'];
  const language = [
    '--target',
    'es2023',
    '--lib',
    'es2023',
    '--module',
    'esnext',
    '--moduleDetection',
    'force',
  ];
  const { stdout, error } = spawnSync(
    process.execPath,
    [compiler, ...flags, ...language, '--types', '', '--pretty', 'false', ...files, 'vantage-script.d.ts'],
    { cwd: folder, encoding: 'utf8' },
  );
  if (error) throw error;
  return stdout.split('\n').filter((line) => line.includes('error TS'));
}

const examples = readdirSync(documents).filter((name) => name.endsWith('.js'));

test('the declarations and the examples compile', () => {
  expect(examples.length).toBeGreaterThanOrEqual(3);
  // A function of an example without types for its parameters is plain JavaScript.
  expect(faultsIn(...examples).filter((line) => !line.includes('implicitly has an'))).toEqual([]);
});

test('what a script cannot do is marked', () => {
  const wrong = [
    "await tcp('db', 5432);",
    "await tcp({ host: 'db', port: '5432' });",
    "await http({ host: 'x' });",
    "await http({ url: 'http://x', expectStatus: 200 });",
    "await smtp({ host: 'm', tls: { mode: 'starttls' } });",
    "(await http({ url: 'http://x' })).status = 5;",
    "sleep('1s');",
    'secret();',
    "fetch('http://x');",
    "require('node:fs');",
    'process.exit();',
    'setTimeout(() => {}, 5);',
    "console.log('x');",
  ];
  writeFileSync(path.join(folder, 'wrong.js'), wrong.join('\n'));
  const marked = faultsIn('wrong.js').map((line) => Number(/\((\d+),/.exec(line)?.[1]));
  expect([...new Set(marked)]).toEqual(wrong.map((_line, n) => n + 1));
});

test('the declarations of the functions are generated from the methods (vitest -u writes them anew)', async () => {
  const file = path.join(documents, 'vantage-script.d.ts');
  await expect(generateDeclarations(readFileSync(file, 'utf8'))).toMatchFileSnapshot(file);
});

test('every function is described', () => {
  const text = readFileSync(path.join(documents, 'vantage-script.d.ts'), 'utf8');
  const bare = [...text.matchAll(/([^\n]*)\ndeclare function (\w+)/g)].filter(
    ([, before = '']) => !before.endsWith('*/'),
  );
  expect(bare.map(([, , name]) => name)).toEqual([]);
});
