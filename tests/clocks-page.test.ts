import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const repository = path.resolve(import.meta.dirname, '..');
const page = readFileSync(path.join(repository, 'docs/clocks.md'), 'utf8');
const rows = page.split('\n').filter((line) => line.startsWith('| '));

test('each row of docs/clocks.md names the tests that prove it, which exist', () => {
  const proven = rows.filter((row) => !row.includes('tested by'));
  expect(proven.length).toBeGreaterThan(20);
  for (const row of proven) {
    const files = [...(row.split('|').at(-2) ?? '').matchAll(/`([^`]+\.test\.ts)`/g)].map(
      ([, file]) => file ?? '',
    );
    expect(files, row).not.toEqual([]);
    for (const file of files) expect(existsSync(path.join(repository, file)), file).toBe(true);
  }
});

test('each sentence that the page quotes is the name of a test of that file', () => {
  const quoted = [...page.matchAll(/`([^`]+\.test\.ts)` \("([^"]+)"\)/g)];
  expect(quoted.length).toBeGreaterThan(1);
  for (const [, file = '', sentence = ''] of quoted)
    expect(readFileSync(path.join(repository, file), 'utf8')).toContain(sentence);
});
