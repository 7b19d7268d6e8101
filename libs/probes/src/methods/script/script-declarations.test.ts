import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { registry } from '../../engine/registry.ts';
import { checkFunctions } from './calls.ts';

const documents = fileURLToPath(new URL('../../../../../docs/script/', import.meta.url));
const compiler = fileURLToPath(new URL('../../../../../node_modules/.bin/tsc', import.meta.url));
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vantage-declarations-'));
  cpSync(documents, folder, { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What an editor would mark in these files, as `file(line,column): error …`. */
function faultsIn(...files: readonly string[]): readonly string[] {
  const flags = ['--noEmit', '--allowJs', '--checkJs', '--strict', '--exactOptionalPropertyTypes'];
  const language = [
    '--target',
    'es2023',
    '--lib',
    'es2023',
    '--module',
    'esnext',
    '--moduleDetection',
    'force',
  ];
  const { stdout, error } = spawnSync(
    process.execPath,
    [compiler, ...flags, ...language, '--types', '', '--pretty', 'false', ...files, 'vantage-script.d.ts'],
    { cwd: folder, encoding: 'utf8' },
  );
  if (error) throw error;
  return stdout.split('\n').filter((line) => line.includes('error TS'));
}

const examples = readdirSync(documents).filter((name) => name.endsWith('.js'));

test('the declarations and the examples compile', () => {
  expect(examples.length).toBeGreaterThanOrEqual(3);
  // A function of an example without types for its parameters is plain JavaScript.
  expect(faultsIn(...examples).filter((line) => !line.includes('implicitly has an'))).toEqual([]);
});

test('what a script cannot do is marked', () => {
  const wrong = [
    "await tcp('db', 5432);",
    "await tcp({ host: 'db', port: '5432' });",
    "await http({ host: 'x' });",
    "await http({ url: 'http://x', expectStatus: 200 });",
    "await smtp({ host: 'm', tls: { mode: 'starttls' } });",
    "(await http({ url: 'http://x' })).status = 5;",
    "sleep('1s');",
    'secret();',
    "fetch('http://x');",
    "require('node:fs');",
    'process.exit();',
    'setTimeout(() => {}, 5);',
    "console.log('x');",
  ];
  writeFileSync(path.join(folder, 'wrong.js'), wrong.join('\n'));
  const marked = faultsIn('wrong.js').map((line) => Number(/\((\d+),/.exec(line)?.[1]));
  expect([...new Set(marked)]).toEqual(wrong.map((_line, n) => n + 1));
});

type Schema = z.output<typeof schema>;
const schema = z.looseObject({
  type: z.string().optional(),
  enum: z.array(z.json()).optional(),
  get items(): z.ZodOptional<typeof schema> {
    return schema.optional();
  },
  get properties(): z.ZodOptional<z.ZodRecord<z.ZodString, typeof schema>> {
    return z.record(z.string(), schema).optional();
  },
});

/** A value with everything in it that the schema knows, its keys as scripts write them. */
function sample(of: Schema): unknown {
  if (of.enum) return of.enum[0];
  if (of.items) return [sample(of.items)];
  if (of.properties) {
    return Object.fromEntries(
      Object.entries(of.properties).map(([key, each]) => [scriptKey(key), sample(each)]),
    );
  }
  const plain: Readonly<Record<string, unknown>> = {
    string: 'x',
    integer: 1,
    number: 1,
    boolean: true,
    object: {},
  };
  return plain[of.type ?? ''] ?? expect.fail(`no sample of ${JSON.stringify(of)}`);
}

/** `ExpectText` is `expectText`, `IPFamily` `ipFamily`, `TLS` `tls`. */
function scriptKey(key: string): string {
  return key.replace(/^[A-Z]+(?=[A-Z][a-z]|$)|^[A-Z]/, (start) => start.toLowerCase());
}

test('every Option of a method is declared for its function, with its type', () => {
  const calls = Object.entries(checkFunctions).map(([name, method]) => {
    const found = schema.parse(
      z.toJSONSchema(registry[method].options, { io: 'input', unrepresentable: 'any' }),
    );
    const { SlowMs: _ofDevices, TLS, ...properties } = found.properties ?? {};
    const { Mode: _own, ...facts } = TLS?.properties ?? {};
    const own = name === 'tls' ? { ...properties, ...facts } : { ...properties, ...(TLS && { TLS }) };
    const where = { http: { url: 'x' }, dns: { name: 'x' } }[name] ?? { host: 'x' };
    const options = sample({ properties: own });
    return `await ${name}(${JSON.stringify({ ...where, ...(typeof options === 'object' ? options : {}), timeout: 5 })});`;
  });
  writeFileSync(path.join(folder, 'all.ts'), calls.join('\n'));
  expect(
    faultsIn('all.ts').map((line) => `${line} in ${calls[Number(/\((\d+),/.exec(line)?.[1]) - 1]}`),
  ).toEqual([]);
});

test('every function is described', () => {
  const text = readFileSync(path.join(documents, 'vantage-script.d.ts'), 'utf8');
  const bare = [...text.matchAll(/([^\n]*)\ndeclare function (\w+)/g)].filter(
    ([, before = '']) => !before.endsWith('*/'),
  );
  expect(bare.map(([, , name]) => name)).toEqual([]);
});
