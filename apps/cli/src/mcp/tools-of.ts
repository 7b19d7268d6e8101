import { z } from 'zod';

const parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header', 'cookie']),
  required: z.boolean().default(false),
  description: z.string().optional(),
  schema: z.record(z.string(), z.json()).default({}),
});
const operation = z.object({
  operationId: z.string(),
  summary: z.string().default(''),
  description: z.string().default(''),
  parameters: z.array(parameter).default([]),
  requestBody: z
    .object({ content: z.record(z.string(), z.object({ schema: z.record(z.string(), z.json()) })) })
    .optional(),
});
const verbs = ['get', 'post', 'put', 'delete'] as const;
/** The part of an OpenAPI document that tools are made from. */
export const documentSchema = z.object({
  paths: z.record(z.string(), z.partialRecord(z.enum(verbs), operation)),
  components: z.object({ schemas: z.record(z.string(), z.json()).default({}) }),
});
type Document = z.infer<typeof documentSchema>;
type Schema = z.infer<typeof z.json>;

/** An operation of the API as a tool. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** Names of the parameters that stand in the query. */
  readonly query: readonly string[];
  readonly inputSchema: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, object>>;
    readonly required: string[];
    readonly $defs?: Readonly<Record<string, object>>;
  };
}

/** Credentials and people, streams, documents, and requests of requests are no tools. */
const leftOut =
  /^\/(?:keys|users|session|sessions|secrets|batch|hello|openapi\.json|agents\/invitations|metrics|hooks|pages|reports)(?:\/|$)/;
/** Parameters that change the form of an answer. */
const forms = ['fmt', 'filename', 'stream'];
const longestText = 600;
const referred = '#/components/schemas/';

/**
 * The operations of an OpenAPI document as tools: those that read, and with `writes` all. Parameters and `body` are the
 * arguments of a tool. Pure.
 */
export function toolsOf(document: Document, { writes }: { readonly writes: boolean }): readonly Tool[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    verbs.flatMap((verb): Tool[] => {
      const found = item[verb];
      if (found === undefined || leftOut.test(path) || (verb !== 'get' && !writes)) return [];
      return [toolOf(document, path, verb, found)];
    }),
  );
}

function toolOf(
  { components }: Document,
  path: string,
  verb: (typeof verbs)[number],
  { operationId, summary, description, parameters, requestBody }: z.infer<typeof operation>,
): Tool {
  const shown = parameters.filter(
    (each) => (each.in === 'path' || each.in === 'query') && !forms.includes(each.name),
  );
  const properties: Record<string, object> = {};
  for (const { name, schema, description: about } of shown)
    properties[name] = about === undefined ? local(schema) : { ...local(schema), description: about };
  const body = requestBody?.content['application/json']?.schema;
  if (body !== undefined) properties['body'] = local(body);
  const required = shown.filter((each) => each.required).map(({ name }) => name);
  const defs = definitionsOf(properties, components.schemas);
  return {
    name: operationId,
    description: textOf(summary, description),
    method: methods[verb],
    path,
    query: shown.filter((each) => each.in === 'query').map(({ name }) => name),
    inputSchema: {
      type: 'object',
      properties,
      required: body === undefined ? required : [...required, 'body'],
      ...(Object.keys(defs).length === 0 ? {} : { $defs: defs }),
    },
  };
}

const methods = { get: 'GET', post: 'POST', put: 'PUT', delete: 'DELETE' } as const;

function textOf(summary: string, description: string): string {
  const [first = ''] = description.split('\n\n');
  const text = first === '' || first.startsWith(summary) ? first || summary : `${summary}. ${first}`;
  return text.length > longestText ? `${text.slice(0, longestText - 1)}…` : text;
}

/** The schema with references to `$defs`. */
function local(schema: object): object {
  return z
    .record(z.string(), z.json())
    .parse(
      JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
        key === '$ref' && typeof value === 'string' ? value.replace(referred, '#/$defs/') : value,
      ),
    );
}

/** The schemas that these refer to, directly or not. */
function definitionsOf(
  properties: object,
  schemas: Readonly<Record<string, Schema>>,
): Readonly<Record<string, object>> {
  const found: Record<string, object> = {};
  const look = (schema: object): void => {
    for (const [, name = ''] of JSON.stringify(schema).matchAll(/"#\/\$defs\/([^"]+)"/g)) {
      const there = schemas[name];
      if (Object.hasOwn(found, name) || there === null || typeof there !== 'object') continue;
      const own = local(there);
      found[name] = own;
      look(own);
    }
  };
  look(properties);
  return found;
}
