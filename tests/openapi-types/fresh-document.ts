import openapiTS, { astToString, NEVER } from 'openapi-typescript';
import { openApiDocument } from '../../apps/controller/src/rest/api/openapi/document.ts';
import { createRestFixture } from '../../apps/controller/src/rest/api/testing/rest-fixture.ts';

/** The OpenAPI document of the table of routes, derived now: a controller serves the recorded one. */
export async function freshDocument(): Promise<unknown> {
  await using rest = await createRestFixture();
  return JSON.parse(JSON.stringify(openApiDocument(rest.routes)));
}

/** The types of a document. A schema `not: {}` is `never`, which openapi-typescript alone calls unknown. */
export async function typesOf(document: unknown): Promise<string> {
  const nodes = await openapiTS(JSON.stringify(document), {
    transform: (schema) => ('not' in schema ? NEVER : undefined),
  });
  return astToString(nodes);
}
