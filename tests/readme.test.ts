import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readSources } from './import-rules/sources.ts';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

const sources = readSources(root)
  .filter(({ file }) => /^(apps|libs)\//.test(file) && !file.endsWith('.test.ts'))
  .map(({ text }) => text.replaceAll("\\'", "'"))
  .join('\n');
const [, meanings = ''] = read('docs/operate.md').split('## Log lines');
const quoted = [...(meanings.split('\n## ')[0] ?? '').matchAll(/^\| (.*?) \|/gm)]
  .flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)])
  .map(([, line = '']) => line);

test('docs/operate.md describes more than twenty log lines', () => {
  expect(quoted.length).toBeGreaterThan(20);
});

test.each(quoted)('a program still logs "%s"', (line) => {
  const missing = line.split('…').filter((part) => !sources.includes(part.trim()));
  expect(missing).toEqual([]);
});
