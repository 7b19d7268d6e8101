import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const page = readFileSync(path.join(root, 'docs/security.md'), 'utf8');
const [, afterLimits = ''] = page.split('\n## Limits\n');
const rows = (afterLimits.split('\n## ')[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(1)
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, what = '', limit = '', effect = '', tests = '', ...rest]) => ({
    what,
    limit,
    effect,
    tests,
    rest,
  }));

test('the page lists limits', () => {
  expect(rows.length).toBeGreaterThanOrEqual(10);
});

test.each(rows)(
  'the limit "$what" is complete and names tests that exist',
  ({ limit, effect, tests, rest }) => {
    expect(limit).not.toBe('');
    expect(effect).not.toBe('');
    expect(rest).toEqual(['']);
    const files = [...tests.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file);
    expect(files).not.toEqual([]);
    for (const file of files) {
      expect(file).toMatch(/\.test\.ts$/);
      expect(existsSync(path.join(root, file)), file).toBe(true);
    }
  },
);

test('docs/faults.md names tests that exist', () => {
  const faults = readFileSync(path.join(root, 'docs/faults.md'), 'utf8');
  const files = [...faults.matchAll(/`([^`]+\/[^`]+\.test\.ts)`/g)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(30);
  expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
});
