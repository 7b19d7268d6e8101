import { describe, expect, test } from 'vitest';
import { brokenRules } from './broken.ts';
import { importsOf } from './imports.ts';
import { testsWithoutSource } from './test-names.ts';

const broken = (...files: readonly (readonly [file: string, text: string])[]) =>
  brokenRules(
    files.map(([file, text]) => ({ file, text })),
    new Map([['@vantage/kernel', 'libs/kernel/src/index.ts']]),
  ).join('\n');

test('imports are found in every form, those of types too', () => {
  const text = `
import { a } from './a.ts';
import type {
  B,
} from "@vantage/kernel";
import 'reflect-metadata';
export { d } from './d.ts';
export type { D } from './types.ts';
const e = await import('./e.ts');
let f: import('./f.ts').F;
// import { g } from './g.ts';
const h = "import { i } from './i.ts';";
`;
  const found = importsOf({ file: 'a.ts', text });
  expect(found.map(({ name }) => name)).toEqual([
    './a.ts',
    '@vantage/kernel',
    'reflect-metadata',
    './d.ts',
    './types.ts',
    './e.ts',
    './f.ts',
  ]);
  expect(found.filter(({ isErased }) => isErased).map(({ name }) => name)).toEqual([
    '@vantage/kernel',
    './types.ts',
    './f.ts',
  ]);
});

describe('layout', () => {
  test.each([
    [
      'apps/agent/src/a/a.ts',
      "import { x } from '@vantage/controller/testing';",
      'apps never import each other',
    ],
    ['apps/agent/src/a/a.ts', "import { x } from '../../../controller/src/a/b.ts';", 'by its package name'],
    [
      'libs/kernel/src/a.ts',
      "import { x } from '@vantage/probes';",
      'libs/kernel does not build on libs/probes',
    ],
    [
      'libs/domain/src/a.ts',
      "import { x } from '@vantage/kernel';",
      'libs/domain does not build on libs/kernel',
    ],
    [
      'libs/health/src/a.ts',
      "import { x } from '@vantage/probes';",
      'libs/health does not build on libs/probes',
    ],
    ['libs/probes/src/a.ts', "import { x } from '@vantage/agent/testing';", 'a library never imports an app'],
    [
      'apps/controller/src/results/ingest/a.ts',
      "import { x } from '../status/fold.ts';",
      'roles/ joins them',
    ],
    ['apps/controller/src/resources/a.ts', "import { x } from '../reading/store.ts';", 'roles/ joins them'],
    ['apps/controller/src/api/a.ts', "import { x } from '../results/status/fold.ts';", 'roles/ joins them'],
    [
      'apps/controller/src/results/ingest/a.ts',
      "import { openBase } from '../../roles/base.ts';",
      'roles/ joins them',
    ],
    [
      'libs/storage/src/a.ts',
      "import { openBase } from '../../../apps/controller/src/roles/base.ts';",
      'another workspace is imported by its package name',
    ],
    [
      'apps/controller/src/results/ingest/a.ts',
      "import type { X } from '../../roles/base.ts';",
      'roles/ joins them',
    ],
    ['apps/controller/src/seal.ts', '', 'is next to main.ts'],
    ['apps/agent/src/outbox.ts', '', 'is next to main.ts'],
    ['apps/controller/src/results/ingest/a.ts', "import { sql } from '@mikro-orm/core';", 'the ORM'],
    ['apps/controller/src/results/ingest/a.ts', "import Koa from 'koa';", 'Koa is used'],
    ['apps/agent/src/outbox/a.ts', "import { Code } from '@connectrpc/connect';", 'Connect is used'],
    ['apps/agent/src/a/a.ts', "import { x } from '../../../../tests/harness/api.ts';", 'only tests'],
    ['libs/probes/src/methods/tcp.ts', "import { http } from './http/http.ts';", 'another probe'],
    [
      'libs/probes/src/methods/tcp.ts',
      "import { run } from '../engine/run.ts';",
      'not a neighbour of a probe',
    ],
  ])('a forbidden import or place is found in %s: %s', (file, text, reason) => {
    expect(broken([file, text])).toContain(reason);
  });

  test.each([
    ['apps/controller/src/results/ingest/a.ts', "import { db } from '@vantage/storage';"],
    ['apps/controller/src/main.ts', "import { createIngest } from './results/ingest/index.ts';"],
    ['apps/controller/src/results/ingest/a.ts', "import type { X } from '../status/fold.ts';"],
    ['apps/controller/src/roles/worker.ts', "import { createAlerts } from '../alerts/decide/index.ts';"],
    ['apps/controller/src/api/api.ts', "import { tagRoutes } from '../catalog/tags/tag-routes.ts';"],
    ['apps/agent/src/stream/link.ts', "import { createClient } from '@connectrpc/connect';"],
    ['apps/agent/src/a.test.ts', "import { startTarget } from '../../../tests/harness/target.ts';"],
    ['libs/probes/src/methods/tcp.ts', "import { connect } from '../net/dial.ts';"],
    ['libs/probes/src/methods/http/http.ts', "import { hop } from './hop.ts';"],
    ['apps/agent/src/agent.ts', "import { openOutbox } from './outbox/outbox.ts';"],
  ])('an allowed import is accepted in %s', (file, text) => {
    expect(broken([file, text])).toBe('');
  });
});

test.each([
  ['libs/probes/src/a.test.ts', `test('x', { ${'retry'}: 1 }, () => {});`, 'without a reason'],
  [
    'libs/health/src/a.property.test.ts',
    `test('x', ${'retry'}Because('slow'), f);`,
    'each failure is a finding',
  ],
  [
    'libs/a/src/a.test.ts',
    `import fc from 'fast-check';\n${'retry'}Because('slow');`,
    'each failure is a finding',
  ],
  ['apps/agent/src/a/utils.ts', '', 'says nothing'],
  ['apps/agent/src/a/a.ts', "export * from './b.ts';", 'exports everything'],
  ['apps/agent/src/a/a.ts', '\n'.repeat(351), '351 lines'],
  ['apps/agent/src/a/a.ts', `// ${'TO'}${'DO'}: later`, 'puts work off'],
  ['apps/agent/src/a.test.ts', `test.${'skip'}If(true)('x', () => {});`, 'skips without a reason'],
])('a forbidden text is found in %s: %s', (file, text, reason) => {
  expect(broken([file, text])).toContain(reason);
});

test('a library that two probes import is found, one of one probe is not', () => {
  const user = (method: string, name: string) =>
    [`libs/probes/src/methods/${method}/x.ts`, `import { y } from '${name}';`] as const;
  expect(broken(user('ssh', 'ssh2'), user('ftp', 'ssh2'))).toContain(
    'ssh2 is imported by the probes ftp and ssh',
  );
  expect(broken(user('ssh', 'ssh2'), user('ftp', 'zod'), user('dns', 'zod'), user('ssh', 'node:net'))).toBe(
    '',
  );
});

test.each([
  ['const a = { ...{ b: 1 }, c };', 'line 1 spreads a literal'],
  ['f(\n[...[1, 2], x]);', 'line 2 spreads a literal'],
  ['const a = { ...(b && { c }), ...d, e: [...f] };', undefined],
])('a literal that is spread into another one is found: %s', (text, reason) => {
  const found = broken(['libs/kernel/src/a.ts', `${text}\n`]);
  if (reason === undefined) expect(found).toBe('');
  else expect(found).toContain(reason);
});

test('a unit test needs a source of its name beside it', () => {
  const files = [
    'a.ts',
    'a.test.ts',
    'a.property.test.ts',
    'a.system.test.ts',
    'B.tsx',
    'B.test.ts',
    'c.test.ts',
  ];
  const elsewhere = ['tests/e2e/d.test.ts', 'apps/agent/tests/d.test.ts', 'agent-installer/install.test.ts'];
  const sources = [...files.map((name) => `libs/kernel/src/${name}`), ...elsewhere];
  const existing = new Set([...sources, 'agent-installer/install.sh']);
  const found = testsWithoutSource(
    sources.map((file) => ({ file, text: '' })),
    (file) => existing.has(file),
  );
  expect(found).toEqual(['libs/kernel/src/c.test.ts']);
});

describe('import cycles', () => {
  test('files that import each other, directly or over others, are found', () => {
    expect(
      broken(
        ['libs/kernel/src/a.ts', "import './b.ts';"],
        ['libs/kernel/src/b.ts', "import './c/index.ts';"],
        ['libs/kernel/src/c/index.ts', "import { type A } from '../a.ts';"],
        ['libs/kernel/src/d.ts', "import './a.ts';"],
      ),
    ).toBe('import cycle: libs/kernel/src/a.ts, libs/kernel/src/b.ts, libs/kernel/src/c/index.ts');
  });

  test('a cycle over the name of a workspace is found', () => {
    const index = ['libs/kernel/src/index.ts', "export { a } from './a.ts';"] as const;
    expect(broken(index, ['libs/kernel/src/a.ts', "import '@vantage/kernel';"])).toContain('import cycle');
  });

  test('an import of a type makes a cycle, too', () => {
    const first = ['libs/kernel/src/a.ts', "import type { B } from './b.ts';"] as const;
    expect(broken(first, ['libs/kernel/src/b.ts', "import './a.ts';"])).toContain('import cycle');
  });
});

describe('tables', () => {
  const entities = [
    'libs/storage/src/schema/entities.ts',
    "export const Tag = defineEntity({ tableName: 'tags' });",
  ] as const;

  test.each([
    ["db.insertInto('events').values(row)", 'the table events, which belongs to events/'],
    ["db.updateTable('checks as c').set({})", 'the table checks, which belongs to ingest/'],
    ["db.deleteFrom('rollup_daily')", 'the table rollup_daily, which belongs to roll-up/'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a source
    ['sql`with x as (insert into events (a) values (${1})) select 1`', 'the table events'],
    ['sql`update run_requests r set a = 1`', 'the table run_requests'],
    ["pool.query('delete from devices where true')", 'the table devices'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a source
    ['sql`copy checks (${names}) from stdin (format binary)`', 'the table checks'],
    ['em.create(Tag, {})', 'the table tags'],
    ["db.insertInto('nobodys')", 'the table nobodys, which has no owner'],
  ])('a write by another folder is found: %s', (statement, reason) => {
    expect(broken(entities, ['apps/controller/src/agents/gateway/gateway-store.ts', statement])).toContain(
      reason,
    );
  });

  test.each([
    ['apps/controller/src/results/ingest/ingest-store.ts', "db.insertInto('checks')"],
    ['apps/controller/src/catalog/tags/tag-store.ts', 'em.create(Tag, {})'],
    ['apps/controller/src/agents/gateway/gateway-store.ts', 'sql`select 1 from devices for update`'],
    [
      'apps/controller/src/results/ingest/ingest-store.ts',
      'sql`insert into checks values (1) on conflict do update set a = 1`',
    ],
    ['apps/controller/src/agents/gateway/store.test.ts', "db.deleteFrom('devices')"],
  ])('the owner, a reader and a test are accepted: %s: %s', (file, statement) => {
    expect(broken(entities, [file, statement])).toBe('');
  });
});

describe('the door of the catalog', () => {
  const entities = [
    'libs/storage/src/schema/entities.ts',
    "export const Tag = defineEntity({ tableName: 'tags' });",
  ] as const;
  const file = 'apps/controller/src/catalog/tags/tag-store.ts';

  test.each([
    "export function add(db: Db) { return db.kysely.insertInto('tags').values({}); }",
    'export const add = async (trx: Kysely<Tables>) => sql`delete from tags`.execute(trx);',
    'export async function add({ orm }: Db) { await orm.em.fork().nativeDelete(Tag, {}); }',
    'export async function add(em: EntityManager, tag: Tag) { em.assign(tag, {}); }',
    'export function routes({ em }: Deps) { return { put: () => em.remove(tag) }; }',
  ])('a write that takes no change is found: %s', (text) => {
    expect(broken(entities, [file, text])).toContain('writes the catalog and takes no ChangeTransaction');
  });

  test.each([
    'export async function add({ em }: ChangeTransaction) { em.create(Tag, {}); }',
    "export const add = (change: ChangeTransaction) => change.trx.insertInto('tags');",
    'export async function find({ orm }: Db) { return orm.em.fork().findOne(Tag, {}); }',
  ])('a write in a change, and a read, are accepted: %s', (text) => {
    expect(broken(entities, [file, text])).toBe('');
  });

  test('a transaction that another file opens is found', () => {
    const text = 'await catalogTransaction(db, work);';
    expect(broken(['apps/controller/src/admin.ts', text])).toContain('only resources/change.ts does');
    expect(broken(['apps/controller/src/resources/change.ts', text])).toBe('');
  });
});

describe('channels', () => {
  test.each(["listen('vantage_plan', f)", "sql`select pg_notify('vantage_plan', '')`"])(
    'a channel outside the bus is found: %s',
    (statement) => {
      expect(broken(['apps/controller/src/agents/assign/assign.ts', statement])).toContain(
        'uses vantage_plan, which belongs to storage/bus',
      );
    },
  );

  test('a name that stands twice in the bus is found', () => {
    const text = "const names = { plan: 'vantage_plan' };\nlisten('vantage_plan');";
    expect(broken(['libs/storage/src/bus/channels.ts', text])).toBe('storage/bus names vantage_plan twice');
  });
});
