import openapiTS, { astToString, NEVER, STRING, tsUnion } from 'openapi-typescript';
import { openApiDocument } from '../../apps/controller/src/api/openapi/openapi-document.ts';
import { createRestFixture } from '../../apps/controller/src/testing/rest-fixture.ts';

/** The OpenAPI document of the table of routes, derived now: a controller serves the recorded one. */
export async function freshDocument(): Promise<unknown> {
  await using rest = await createRestFixture();
  return JSON.parse(JSON.stringify(openApiDocument(rest.routes)));
}

/**
 * The types of a document. A property with the schema `not: {}` is `never`; openapi-typescript calls it unknown. A list
 * in a query is an array, or a text that joins its members by commas, as clients of earlier versions send it.
 */
export async function typesOf(document: unknown): Promise<string> {
  const nodes = await openapiTS(JSON.stringify(document), {
    transform: (schema) => ('not' in schema ? NEVER : undefined),
    postTransform: (type, { path }) =>
      path !== undefined && /\/parameters\/query\/[^/]+$/.test(path) && 'elementType' in type
        ? tsUnion([type, STRING])
        : undefined,
  });
  return astToString(nodes);
}
