import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { completionsAt } from './script-completion.ts';
import { readScriptTypes } from './script-types.ts';

const file = path.resolve(import.meta.dirname, '../../../../../docs/script/vantage-script.d.ts');
const source = readFileSync(file, 'utf8');
const types = readScriptTypes(source);
/** The names that fit at the end of a script. */
const namesAfter = (script: string) =>
  completionsAt(script, script.length, types).items.map(({ name }) => name);

test('each function of the declarations is known', () => {
  const declared = new Set([...source.matchAll(/^declare function (\w+)/gm)].map(([, name]) => String(name)));
  expect(new Set(types.functions.keys())).toEqual(declared);
  expect(declared.size).toBeGreaterThan(15);
});

test.each([
  ['const page = await ht', ['http']],
  ["http({ url: 'x', expectT", ['expectText']],
  ["http({ url: 'x', tls: { min", ['minDaysLeft']],
  ["http({ method: 'PA", ['PATCH']],
  ["dns({ name: 'x', type: 'MX', transport: '", ['UDP', 'TCP', 'TLS']],
  ["tcp({ steps: [{ send: 'x' }, { expectR", ['expectRegex']],
  ['const page = await http({});\nexpect(page.sta', ['status']],
  ['const page = await http({});\npage.phases.t', ['ttfb', 'ttlb']],
  ['try { await ssh({}); } catch (error) {\n  log(error.co', ['code']],
  ['smtp({ rc', ['rcptTo']],
  ['smtp({ ti', ['timeout']],
])('after %j', (script, names) => {
  expect(namesAfter(script)).toEqual(names);
});

test.each(['// ht', '/* ht', "'ht", '`ht', 'page.st', '', 'http({ url: unknown'])(
  'nothing after %j',
  (script) => {
    expect(namesAfter(script)).toEqual([]);
  },
);

test('an option of a call has its type and its description', () => {
  const [option] = completionsAt('http({ maxTime', 14, types).items;
  expect(option).toEqual({ name: 'maxTimeMs', detail: 'number', doc: 'A check that takes longer fails.' });
});

test('at any offset of any script, what is offered continues what was typed', () => {
  const part = fc.constantFrom(
    'http({ ',
    "'",
    '`',
    '// ',
    '\n',
    '[',
    ']',
    '{ ',
    ' })',
    'tls: ',
    'page.',
    'const page = await http(',
    'st',
    ', ',
  );
  fc.assert(
    fc.property(fc.array(part), fc.nat(), (parts, at) => {
      const script = parts.join('');
      const offset = at % (script.length + 1);
      const { from, items } = completionsAt(script, offset, types);
      const typed = script.slice(from, offset).toLowerCase();
      for (const { name } of items) expect(name.toLowerCase().startsWith(typed)).toBe(true);
    }),
  );
});
