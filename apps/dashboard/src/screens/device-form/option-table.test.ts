import { readFileSync } from 'node:fs';
import path from 'node:path';
import { methods as methodNames } from '@vantage/domain';
import { expect, test } from 'vitest';
import { methodsIn, type OptionSchema } from './method-schemas.ts';
import { optionFieldsOf, optionGroups, optionWords, splitDefault } from './option-table.ts';
import { kindOf } from './option-values.ts';

const file = path.resolve(import.meta.dirname, '../../../../controller/src/gen/openapi.json');
const methods = methodsIn(JSON.parse(readFileSync(file, 'utf8')));
const fields = [...methods].flatMap(([method, schema]) =>
  optionFieldsOf(schema).map((field) => ({ method, ...field })),
);
/** Script has the name of its language, so it is like its words. */
const sameWords = new Set(['User', 'Password', 'Proxy', 'Compression', 'Database', 'Query', 'Mailbox']);
const alsoSame = new Set([
  'Directory',
  'Command',
  'Transport',
  'Recursion',
  'Community',
  'Context',
  'Topic',
  'Subprotocol',
  'Service',
  'Metadata',
]);

test('each Option of each Method has words, a purpose, and a control of its own', () => {
  expect([...methods.keys()].toSorted()).toEqual(methodNames.toSorted());
  const nameless = fields.filter(
    ({ name }) => optionWords(name) === name && !sameWords.has(name) && !alsoSame.has(name),
  );
  expect(nameless.map(({ method, name }) => `${method} ${name}`)).toEqual([]);
  expect(fields.filter(({ schema }) => kindOf(schema) === 'json')).toEqual([]);
  const words = new Map<string, string>();
  for (const { method, name } of fields) {
    const key = `${method} ${optionWords(name)}`;
    expect(words.get(key) ?? name, key).toBe(name);
    words.set(key, name);
  }
});

test.each([
  ['TCP', 'Steps'],
  ['HTTP', 'Steps'],
  ['SNMP', 'Interfaces'],
  ['SNMP', 'Values'],
])('the parts of the rows of %s.%s have words and a control', (method, option) => {
  const parts = Object.entries(methods.get(method)?.[option]?.items?.properties ?? {});
  expect(parts.length).toBeGreaterThan(0);
  for (const [part, schema] of parts) {
    expect(optionWords(`${option}.${part}`)).not.toContain(option);
    const kinds = [
      'choice',
      'yesNo',
      'number',
      'text',
      'area',
      ...(method === 'HTTP' ? ['pairs', 'list', 'steps'] : []),
    ];
    expect(kinds).toContain(kindOf(schema));
  }
});

test('the groups of HTTP', () => {
  const http = fields.filter(({ method }) => method === 'HTTP');
  const names = Object.fromEntries(
    optionGroups.map((group) => [group, http.filter((each) => each.group === group).map(({ name }) => name)]),
  );
  expect(names).toMatchObject({
    request: ['Method', 'Headers', 'Body', 'MaxRedirects', 'Steps'],
    login: ['Auth', 'User', 'Password', 'Token'],
    network: ['IPFamily', 'SourceAddress', 'DSCP', 'Proxy', 'HTTPVersion', 'Compression'],
  });
  expect(names['tls']).toContain('TLS.Verify');
  expect(names['expect']).toContain('ExpectStatus');
});

test.each([
  ['Request method. Default: "GET".', 'GET', 'Request method.'],
  ['Statuses that are good; default: all below 400.', 'all below 400', 'Statuses that are good.'],
  ['Request body.', undefined, 'Request body.'],
  [
    'Code expected; default NOERROR with at least one record.',
    'NOERROR with at least one record',
    'Code expected.',
  ],
])('"%s" has the default %s', (description, byDefault, hint) => {
  expect(splitDefault(description)).toEqual({ byDefault, hint });
});

test('a key keeps its line breaks: its field has several lines', () => {
  const ssh: OptionSchema = methods.get('SSH')?.['PrivateKey'] ?? {};
  expect(kindOf(ssh)).toBe('area');
  expect(kindOf(methods.get('SSH')?.['Password'] ?? {})).toBe('secret');
});
