import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { settings } from '@vantage/kernel';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const page = read('docs/data-flow.md');
const routes = read('libs/client/src/gen/api.ts');
const known: ReadonlyMap<string, string> = new Map(
  Object.entries(settings).map(([name, { otherwise }]) => [name, otherwise]),
);
const named = [...new Set([...page.matchAll(/`(VANTAGE_[A-Z_]+)`/g)].map(([, name = '']) => name))];

test('the page names settings', () => {
  expect(named.length).toBeGreaterThan(10);
});

test.each(named)('%s is a setting', (name) => {
  expect([...known.keys()]).toContain(name);
});

const defaults = [
  ...[...page.matchAll(/(\d+) \(`(VANTAGE_[A-Z_]+)`\)/g)].map(([, value = '', name = '']) => [name, value]),
  ...[...page.matchAll(/`(VANTAGE_[A-Z_]+)` \((\d+)/g)].map(([, name = '', value = '']) => [name, value]),
];

test('the page names defaults', () => {
  expect(defaults.length).toBeGreaterThanOrEqual(4);
});

test.each(defaults)('the default of %s is %s', (name = '', value = '') => {
  expect(known.get(name)).toBe(value);
});

test.each([...page.matchAll(/`DELETE (\/[^`]+)`/g)].map(([, route = '']) => route))(
  'DELETE %s is a route',
  (route) => {
    const [, entry = ''] = routes.split(`"${route}": {`);
    const [, afterDelete = ''] = (entry.split('\n    };')[0] ?? '').split('\n        delete');
    expect(afterDelete).toMatch(/^: operations/);
  },
);

test.each(['SECURITY.md', 'docs/data-flow.md'])('the links of %s lead to files', (file) => {
  const links = [...read(file).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(0);
  for (const link of links) expect(existsSync(path.join(root, path.dirname(file), link)), link).toBe(true);
});
