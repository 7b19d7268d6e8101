import { expect, test } from 'vitest';
import { LineCounter } from 'yaml';
import { parseYaml } from './structured-text.ts';
import { parseYamlDocument } from './yaml-document.ts';

const parse = (text: string) => parseYamlDocument(text, new LineCounter());
const list = (length: number, item: string) => `[${Array.from({ length }, () => item).join()}]`;

test.each([
  ['a list', `a: &a ${list(2_000, '1')}\nb: ${list(900, '*a')}\n`],
  [
    'merged maps',
    `a: &a {${Array.from({ length: 1_000 }, (_, n) => `k${n}: 1`).join()}}\nb:\n${'- {<<: *a}\n'.repeat(900)}`,
  ],
  ['aliases of aliases', `a: &a ${list(60, 'x')}\nb: &b ${list(60, '*a')}\nc: ${list(60, '*b')}\n`],
])('%s that aliases expand too far is refused, by every reader of files', (_, text) => {
  expect(() => parse(text)).toThrow(/aliases expand \d+ values to \d{6,}/);
  expect(() => parseYaml(text, 'f.yaml', 'YAML')).toThrow(/f\.yaml .*aliases expand/);
});

test('a file with many devices and some templates is read', () => {
  const text = `t: &t {a: 1, b: 2}\nd:\n${'- {<<: *t, c: 3}\n'.repeat(900)}`;
  expect(parse(text).toJS({ maxAliasCount: 1_000 }).d[899]).toEqual({ a: 1, b: 2, c: 3 });
});

test('an alias inside of its own anchor is counted once', () => {
  expect(parse('a: &a [1, *a]\n').errors).toEqual([]);
});
