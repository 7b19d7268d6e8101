import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { createSchemas, fileSchema } from '../../apps/cli/src/code/file-schema.ts';
import { kindNames, kinds } from '../../apps/cli/src/code/managed-kinds.ts';
import { freshDocument } from './fresh-document.ts';

const docs = path.resolve(import.meta.dirname, '../../docs');
let document: unknown;
let accepts: (yaml: string) => boolean;

beforeAll(async () => {
  document = await freshDocument();
  const schema = fileSchema(document);
  const judge = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
  accepts = (yaml) => judge(parse(yaml));
});

test('docs/gen/vantage-apply.schema.json is made of the OpenAPI document (else: npm run gen:api)', async () => {
  const made = fileSchema(document);
  await expect(`${JSON.stringify(made, null, 1)}\n`).toMatchFileSnapshot(
    path.join(docs, 'gen/vantage-apply.schema.json'),
  );
});

/** A file says a thing's key as `Key`, its source once for all, and Retries as Attempts. */
const otherwise = ['ExternalKey', 'Source', 'Retries'];

test.each(kindNames)('kinds.ts has every field with which a %s is created', async (kind) => {
  const shape = z.object({
    components: z.object({
      schemas: z.record(z.string(), z.looseObject({ properties: z.looseObject({}).optional() })),
    }),
  });
  const { schemas } = shape.parse(document).components;
  const fields = Object.keys(schemas[createSchemas[kind]]?.properties ?? {});
  expect(fields.length).toBeGreaterThan(1);
  const known = new Set([...Object.keys(kinds[kind].fields), ...otherwise]);
  expect(fields.filter((field) => !known.has(field))).toEqual([]);
});

test('an editor accepts the file of docs/as-code.md', () => {
  const page = readFileSync(path.join(docs, 'as-code.md'), 'utf8');
  const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  expect(example).toContain('source:');
  expect(accepts(example)).toBe(true);
});

test.each([
  ['devices: [{ Key: a, Method: PING, URL: h, ShortName: a, Options: { Count: 3 } }]', true],
  ['devices: [{ Key: a, Method: PING, URL: h, ShortName: a, Options: { Path: / } }]', false],
  ['devices: [{ Key: a, Method: PING, URL: h, ShortName: a, Retries: 2 }]', false],
  ['devices: [{ Method: PING, URL: h, ShortName: a }]', false],
  ['devices: [{ Key: a, Method: PONG, URL: h, ShortName: a }]', false],
  ['devices: [{ Key: a, URL: h, ShortName: a, nschedule_id: office, Tags: [x] }]', true],
  ['tags: [{ Key: a }]', false],
  ['defaults: { all: { Frequency: 1 }, PING: { Options: { Count: 3 } } }', true],
  ['defaults: { all: { Frequenzy: 1 } }', false],
  ['sources: x', false],
])('%s: %s', (yaml, isGood) => {
  expect(accepts(yaml)).toBe(isGood);
});
