import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const sources = path.resolve(import.meta.dirname, '..');
const tokens = 'style/tokens.css';
const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /(?<!\.test)\.(css|tsx?)$/.test(file),
);
const read = (file: string) => readFileSync(path.join(sources, file), 'utf8');
const colour =
  /#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch|lab|color)a?\(|:\s*(?:white|black|red|green|blue|gray|grey)\b/i;

test('only the token file holds colours', () => {
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((file) => file.endsWith('.css') && file !== tokens && colour.test(read(file)))).toEqual(
    [],
  );
  expect(
    files.filter((file) => file.endsWith('.tsx') && /(?:fill|stroke|color)="#/.test(read(file))),
  ).toEqual([]);
  expect(colour.test(read(tokens))).toBe(true);
});

test('no component has inline styles or HTML of its own, which the page’s policy refuses', () => {
  const refused = /\bstyle=|dangerouslySetInnerHTML|innerHTML|from 'react/;
  expect(files.filter((file) => file.endsWith('.tsx') && refused.test(read(file)))).toEqual([]);
});

test('every custom property that is used is defined', () => {
  const set = files
    .filter((file) => file.endsWith('.tsx'))
    .flatMap((file) => [...read(file).matchAll(/setProperty\('(--[\w-]+)'/g)].map(([, name]) => name));
  const defined = new Set([
    ...[...read(tokens).matchAll(/^\s*(--[\w-]+):/gm)].map(([, name]) => name),
    ...set,
  ]);
  const used = files
    .filter((file) => file.endsWith('.css'))
    .flatMap((file) => [...read(file).matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name));
  expect(used.filter((name) => !defined.has(name))).toEqual([]);
});

// Preact keeps of an element that is shown in several places all that once stood above it: an hour of events was 400
// MB.
test('every element is made in a function', () => {
  const shared = /^(?:(?:export )?const \w+[^=]*= | {2}\w+: )\(?\s*<[a-z]/im;
  expect(shared.test('const shapes = {\n  Up: <circle />,\n};')).toBe(true);
  expect(files.filter((file) => file.endsWith('.tsx') && shared.test(read(file)))).toEqual([]);
});
