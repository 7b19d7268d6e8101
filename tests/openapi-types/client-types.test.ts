import path from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createRestFixture } from '../../apps/controller/src/rest/api/testing/rest-fixture.ts';

const file = path.resolve(import.meta.dirname, '../../libs/client/src/gen/api.ts');

test('the types of libs/client are those of the OpenAPI document (else: npm run generate:client)', async () => {
  await using rest = await createRestFixture();
  const document = z.record(z.string(), z.json()).parse((await rest.send('GET', '/openapi.json')).json);
  await expect(astToString(await openapiTS(JSON.stringify(document)))).toMatchFileSnapshot(file);
});
