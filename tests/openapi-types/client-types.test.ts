import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { freshDocument, typesOf } from './fresh-document.ts';

const root = path.resolve(import.meta.dirname, '../..');
let document: unknown;
beforeAll(async () => {
  document = await freshDocument();
});

test('the document that controllers serve is that of the table of routes (else: npm run gen:api)', async () => {
  const file = path.join(root, 'apps/controller/src/gen/openapi.json');
  await expect(`${JSON.stringify(document, null, 1)}\n`).toMatchFileSnapshot(file);
});

test('the types of libs/client are those of the OpenAPI document (else: npm run gen:api)', async () => {
  await expect(await typesOf(document)).toMatchFileSnapshot(path.join(root, 'libs/client/src/gen/api.ts'));
});
