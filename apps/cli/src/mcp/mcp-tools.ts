import { z } from 'zod';

/** Levels of keys. Each level includes those before it. */
export const keyLevels = ['none', 'UR', 'UO', 'UW', 'UA'] as const;
type KeyLevel = (typeof keyLevels)[number];

const parameterSchema = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header', 'cookie']),
  required: z.boolean().default(false),
  description: z.string().optional(),
  schema: z.record(z.string(), z.json()).default({}),
});
const operationSchema = z.object({
  operationId: z.string(),
  'x-authorization-level': z.enum(keyLevels).default('UR'),
  summary: z.string().default(''),
  description: z.string().default(''),
  parameters: z.array(parameterSchema).default([]),
  requestBody: z
    .object({ content: z.record(z.string(), z.object({ schema: z.record(z.string(), z.json()) })) })
    .optional(),
});
const verbs = ['get', 'post', 'put', 'delete'] as const;
/** The part of an OpenAPI document that describes tools. */
export const documentSchema = z.object({
  paths: z.record(z.string(), z.partialRecord(z.enum(verbs), operationSchema)),
  components: z.object({ schemas: z.record(z.string(), z.json()).default({}) }),
});
type ApiDocument = z.infer<typeof documentSchema>;

/** An operation of the API as a tool. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** Names of the query parameters. */
  readonly query: readonly string[];
  readonly inputSchema: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, object>>;
    readonly required: string[];
    readonly $defs?: Readonly<Record<string, object>>;
  };
}

/** No tools for credentials, people, streams, documents and batches. */
const excludedPaths =
  /^\/(?:keys|users|session|sessions|secrets|batch|hello|openapi\.json|agents\/invitations|metrics|hooks|pages|reports)(?:\/|$)/;
/** Parameters that change the format of an answer. */
const formatParameters = ['fmt', 'filename', 'stream'];
const maxDescriptionLength = 600;
const schemaReference = '#/components/schemas/';

/**
 * The operations of an OpenAPI document as tools: only those that read, unless `writes`. Parameters and `body` are the
 * arguments of a tool. Pure.
 */
export function toolsOf(
  document: ApiDocument,
  { writes, level }: { readonly writes: boolean; readonly level: KeyLevel },
): readonly McpTool[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    verbs.flatMap((verb): McpTool[] => {
      const found = item[verb];
      if (found === undefined || excludedPaths.test(path) || (verb !== 'get' && !writes)) return [];
      if (keyLevels.indexOf(found['x-authorization-level']) > keyLevels.indexOf(level)) return [];
      return [toolOf(document, path, verb, found)];
    }),
  );
}

function toolOf(
  { components }: ApiDocument,
  path: string,
  verb: (typeof verbs)[number],
  { operationId, summary, description, parameters, requestBody }: z.infer<typeof operationSchema>,
): McpTool {
  const usable = parameters.filter(
    (parameter) =>
      (parameter.in === 'path' || parameter.in === 'query') && !formatParameters.includes(parameter.name),
  );
  const properties: Record<string, object> = {};
  for (const { name, schema, description: purpose } of usable)
    properties[name] =
      purpose === undefined
        ? withLocalReferences(schema)
        : { ...withLocalReferences(schema), description: purpose };
  const body = requestBody?.content['application/json']?.schema;
  if (body !== undefined) properties['body'] = withLocalReferences(body);
  const required = usable.filter((parameter) => parameter.required).map(({ name }) => name);
  const defs = definitionsOf(properties, components.schemas);
  return {
    name: operationId,
    description: descriptionOf(summary, description),
    method: methods[verb],
    path,
    query: usable.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
    inputSchema: {
      type: 'object',
      properties,
      required: body === undefined ? required : [...required, 'body'],
      ...(Object.keys(defs).length === 0 ? {} : { $defs: defs }),
    },
  };
}

const methods = { get: 'GET', post: 'POST', put: 'PUT', delete: 'DELETE' } as const;

function descriptionOf(summary: string, description: string): string {
  const [first = ''] = description.split('\n\n');
  const text = first === '' || first.startsWith(summary) ? first || summary : `${summary}. ${first}`;
  return text.length > maxDescriptionLength ? `${text.slice(0, maxDescriptionLength - 1)}…` : text;
}

/** Changes references into the document to references into `$defs`. */
function withLocalReferences(schema: object): object {
  return z
    .record(z.string(), z.json())
    .parse(
      JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
        key === '$ref' && typeof value === 'string' ? value.replace(schemaReference, '#/$defs/') : value,
      ),
    );
}

/** The schemas that the properties refer to, directly or indirectly. */
function definitionsOf(
  properties: object,
  schemas: Readonly<ApiDocument['components']['schemas']>,
): Readonly<Record<string, object>> {
  const found: Record<string, object> = {};
  const collect = (value: object): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/\$defs\/([^"]+)"/g)) {
      const schema = schemas[name];
      if (Object.hasOwn(found, name) || schema === null || typeof schema !== 'object') continue;
      const definition = withLocalReferences(schema);
      found[name] = definition;
      collect(definition);
    }
  };
  collect(properties);
  return found;
}
