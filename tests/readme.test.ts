import { readFileSync } from 'node:fs';
import path from 'node:path';
import { settings } from '@vantage/kernel';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');

test.each(Object.entries(settings))('the README says what %s is', (name, { reader, otherwise, about }) => {
  const row = `| \`${name}\` | ${reader} | ${otherwise || '–'} | ${about} |`;
  expect(readFileSync(path.join(root, 'README.md'), 'utf8')).toContain(row);
});
