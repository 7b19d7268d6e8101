import { createResourceFinder } from '@vantage/rest-kit/entity-tag';
import type { Route } from '@vantage/rest-kit/route';
import { z } from 'zod';
import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi';
import { describeProperty, describeSchemas } from './describe-schemas.ts';
import { deviceChange, devicesByMethod, optionSchemas } from './device-schemas.ts';
import { frameOf, securitySchemes } from './document-frame.ts';
import { createExampleMaker } from './examples.ts';
import { operationOf } from './openapi-operation.ts';
import {
  mapSchema,
  mapValues,
  type OpenApiSchema,
  type OpenApiSchemas,
  readSchema,
  refTo,
} from './openapi-schema.ts';
import { webhooks } from './webhooks.ts';

/** Derives the OpenAPI 3.1 document from a route table. It says `{version}` where the product's version belongs. */
export function openApiDocument(routes: readonly Route[]): object {
  const paths: ZodOpenApiPathsObject = {};
  const findResource = createResourceFinder(routes);
  for (const route of routes)
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: operationOf(route, findResource),
    };
  const raw = createDocument(
    {
      ...frameOf(routes),
      paths,
      components: {
        schemas: Object.fromEntries(Object.keys(optionSchemas()).map((name) => [name, {}])),
        securitySchemes,
      },
    },
    {
      override: ({ jsonSchema, io }) => {
        // An answer may hold more in a later version.
        if (io === 'output' && jsonSchema.additionalProperties === false)
          delete jsonSchema.additionalProperties;
      },
    },
  );
  const plain = documentShape.parse(JSON.parse(JSON.stringify(raw)));
  const declared = { ...plain.components.schemas, ...optionSchemas() };
  const schemas = describeSchemas(devicesByMethod(withReadOnly(mapValues(declared, readSchema), routes)));
  const finish = createFinisher(schemas);
  return {
    ...plain,
    paths: finish(plain.paths),
    webhooks,
    components: {
      ...plain.components,
      responses: finish(plain.components.responses),
      schemas: { ...schemas, DeviceChange: deviceChange },
    },
  };
}

/** The order is that of the document: readers and tools look for the version at the start. */
const documentShape = z.looseObject({
  openapi: z.string(),
  info: z.json(),
  paths: z.json(),
  components: z.looseObject({ schemas: z.record(z.string(), z.json()), responses: z.json() }),
});

/**
 * Adds the read-only fields of a resource to the body of its PUT, so a client may change one field of what it read and
 * send everything back.
 */
function withReadOnly(schemas: OpenApiSchemas, routes: readonly Route[]): OpenApiSchemas {
  const made = { ...schemas };
  for (const { method, body, response, readOnly = [] } of routes) {
    const [sent, returned] = [body && z.globalRegistry.get(body)?.id, z.globalRegistry.get(response)?.id];
    const [from, to] = [made[returned ?? ''], made[sent ?? '']];
    if (method !== 'PUT' || from === undefined || to === undefined) continue;
    const readOnlyFields = Object.entries(from.properties ?? {})
      .filter(([name]) => readOnly.includes(name) && to.properties?.[name] === undefined)
      .map(([name, schema]): [string, OpenApiSchema] => [name, { ...schema, readOnly: true }]);
    const added = Object.fromEntries(readOnlyFields);
    made[returned ?? ''] = { ...from, properties: { ...from.properties, ...added } };
    made[sent ?? ''] = { ...to, properties: { ...to.properties, ...added } };
  }
  return made;
}

/**
 * Finishes what paths and responses hold: schemas are described, and parameters, headers and bodies get their examples.
 */
function createFinisher(schemas: OpenApiSchemas) {
  const exampleOf = createExampleMaker(schemas);
  const finish = (value: unknown, property?: string, sent = false): unknown => {
    if (Array.isArray(value)) return value.map((part: unknown) => finish(part, undefined, sent));
    if (!isRecord(value)) return value;
    const name = typeof value['name'] === 'string' ? value['name'] : property;
    const parts = mapValues(value, (part, key) =>
      key === 'schema' ? part : finish(part, key, sent || key === 'requestBody'),
    );
    if (!isRecord(value['schema'])) return parts;
    const schema = finishSchema(readSchema(value['schema']), name);
    const shown = value['example'] ?? exampleOf(schema, sent);
    const { examples: _, ...plain } = schema;
    return { ...parts, schema: plain, ...(shown === undefined ? {} : { example: shown }) };
  };
  return (value: unknown) => finish(value);
}

function finishSchema(schema: OpenApiSchema, property: string | undefined): OpenApiSchema {
  const described = mapSchema(schema, describeProperty, { component: '', property });
  return described.$ref === refTo('DeviceUpdate').$ref
    ? { oneOf: [refTo('DeviceUpdate'), refTo('DeviceChange')] }
    : described;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
