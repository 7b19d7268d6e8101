import path from 'node:path';
import { expect, test } from 'vitest';
import { broken, importsOf, readSources } from './import-rules.ts';

test('no source breaks a rule of the house', () => {
  const sources = readSources(path.resolve(import.meta.dirname, '..'));
  expect(sources.length).toBeGreaterThan(50);
  expect(sources.flatMap(broken)).toEqual([]);
});

test('imports are found in every form', () => {
  const text = `
import { a } from './a.ts';
import type {
  B,
  C,
} from "@vantage/kernel";
import 'reflect-metadata';
export { d } from './d.ts';
const e = await import('./e.ts');
`;
  expect(importsOf(text).sort()).toEqual([
    './a.ts',
    './d.ts',
    './e.ts',
    '@vantage/kernel',
    'reflect-metadata',
  ]);
});

test.each([
  ['apps/agent/src/a.ts', "import { x } from '@vantage/controller/testing';", 'apps never import each other'],
  ['apps/agent/src/a.ts', "import { x } from '../../controller/src/secrets/seal.ts';", 'by its package name'],
  [
    'libs/kernel/src/a.ts',
    "import { x } from '@vantage/probes';",
    'libs/kernel does not build on libs/probes',
  ],
  [
    'libs/health/src/a.ts',
    "import { x } from '@vantage/probes';",
    'libs/health does not build on libs/probes',
  ],
  ['libs/probes/src/a.ts', "import { x } from '@vantage/agent/testing';", 'a library never imports an app'],
  ['apps/controller/src/ingest/a.ts', "import { x } from '../health/fold.ts';", 'main.ts joins them'],
  ['apps/controller/src/ingest/a.ts', "import { sql } from '@mikro-orm/core';", 'the ORM'],
  ['apps/controller/src/ingest/a.ts', "import Koa from 'koa';", 'Koa is used'],
  ['apps/agent/src/outbox/a.ts', "import { Code } from '@connectrpc/connect';", 'Connect is used'],
  ['apps/agent/src/a.ts', "import { x } from '../../../tests/harness/api.ts';", 'only tests'],
  ['libs/probes/src/methods/tcp.ts', "import { http } from './http/http.ts';", 'another probe'],
  ['libs/probes/src/a.test.ts', `test('x', { ${'retry'}: 1 }, () => {});`, 'again without a reason'],
  [
    'libs/health/src/a.property.test.ts',
    `test('x', ${'retry'}Because('slow'), () => {});`,
    'what it found once is a finding',
  ],
  [
    'libs/health/src/a.test.ts',
    `import fc from 'fast-check';\ntest('x', ${'retry'}Because('slow'), () => {});`,
    'what it found once is a finding',
  ],
  ['apps/agent/src/utils.ts', '', 'says nothing'],
  ['apps/agent/src/a.ts', "export * from './b.ts';", 'exports everything'],
  ['apps/agent/src/a.ts', '\n'.repeat(301), '301 lines'],
  ['apps/agent/src/a.ts', `// ${'TO'}${'DO'}: later`, 'puts work off'],
  ['apps/agent/src/a.test.ts', `test.${'skip'}If(true)('x', () => {});`, 'skips without a reason'],
])('a broken rule is found in %s: %s', (file, text, reason) => {
  expect(broken({ file, text }).join('\n')).toContain(reason);
});

test.each([
  ['apps/controller/src/ingest/a.ts', "import { db } from '../db/index.ts';"],
  ['apps/controller/src/main.ts', "import { createIngest } from './ingest/index.ts';"],
  ['apps/agent/src/stream/link.ts', "import { createClient } from '@connectrpc/connect';"],
  ['apps/agent/src/a.test.ts', "import { startTarget } from '../../../tests/harness/target.ts';"],
  ['libs/probes/src/methods/tcp.ts', "import { connect } from '../net/dial.ts';"],
])('what the rules allow is left alone in %s', (file, text) => {
  expect(broken({ file, text })).toEqual([]);
});
