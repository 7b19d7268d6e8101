import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { fillPath } from '@vantage/client';
import { productVersion } from '@vantage/domain';
import { Fault, messageOf } from '@vantage/kernel';
import { z } from 'zod';
import { type Connection, connect } from '../remote/connection.ts';
import type { ControllerAccess } from '../remote/https-fetch.ts';

const given = z.record(z.string(), z.json());
type Arguments = z.infer<typeof given>;

/**
 * Serves the operations of the controller as tools over standard input and output (Model Context Protocol), until its
 * client closes them. The controller's own document says which there are.
 */
export async function runMcp(
  access: ControllerAccess,
  { writes }: { readonly writes: boolean },
): Promise<void> {
  using connection = connect(access);
  const answer = await connection.call({ method: 'GET', path: '/openapi.json' });
  const document = documentSchema.parse(await answer.json());
  const hello = await connection.call({ method: 'GET', path: '/hello', query: { fmt: 'json' } });
  const { AuthLevel: level } = helloSchema.parse(await hello.json());
  const tools = new Map(toolsOf(document, { writes, level }).map((tool) => [tool.name, tool]));
  const server = new Server(
    { name: 'vantage', version: productVersion },
    { capabilities: { tools: {} }, instructions: instructions(writes) },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...tools.values()].map(shownTool) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    callTool(connection, tools.get(params.name), params.name, given.parse(params.arguments ?? {})),
  );
  const ended = new Promise<void>((resolve) => {
    server.onclose = resolve;
    process.stdin.once('end', () => void server.close());
  });
  await server.connect(new StdioServerTransport());
  await ended;
}

/** The levels of keys; each may do what those before it may. */
const levels = ['none', 'UR', 'UO', 'UW', 'UA'] as const;
type Level = (typeof levels)[number];
const helloSchema = z.object({ AuthLevel: z.enum(levels) });

function instructions(writes: boolean): string {
  const reading =
    'Vantage monitors devices. Times are ISO 8601. Lists have at most 100 rows a page: narrow them by their filters. listDevices with Search finds a device by its name.';
  return writes
    ? `${reading} Ask before you change or delete anything.`
    : `${reading} Nothing can be changed.`;
}

function shownTool({ name, description, method, inputSchema }: Tool) {
  const annotations = {
    readOnlyHint: method === 'GET',
    destructiveHint: method === 'DELETE' || method === 'PUT',
    idempotentHint: method !== 'POST',
  };
  return { name, description, inputSchema, annotations };
}

/** Does the request of a tool. A refusal is an answer for the assistant, not a failure of the server. */
async function callTool(connection: Connection, tool: Tool | undefined, name: string, values: Arguments) {
  try {
    if (tool === undefined) throw new Fault('stop', 'missing', `there is no tool ${name.slice(0, 100)}`);
    const answer = await connection.call(requestOf(tool, values));
    return { content: [{ type: 'text' as const, text: boundedAnswer(await answer.json()) }] };
  } catch (error) {
    return { content: [{ type: 'text' as const, text: messageOf(error) }], isError: true };
  }
}

/**
 * The request of a tool with these arguments. Throws a Fault for an argument that is missing or unknown, and a
 * RangeError for one that would lead the path elsewhere. Pure.
 */
export function requestOf({ name, method, path, query, inputSchema }: Tool, values: Arguments) {
  for (const name of inputSchema.required)
    if (values[name] === undefined) throw new Fault('stop', 'settings', `${name} is missing`);
  const unknown = Object.keys(values).filter((name) => !Object.hasOwn(inputSchema.properties, name));
  if (unknown.length > 0) {
    const known = Object.keys(inputSchema.properties);
    const text =
      known.length === 0
        ? `${name} takes no arguments.`
        : `${name} has no argument ${unknown.join(', ')}. Its arguments are ${known.join(', ')}.`;
    throw new Fault('stop', 'settings', text);
  }
  const plainText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  const text = (name: string) => {
    const value = values[name];
    return Array.isArray(value) ? value.map(plainText).join(',') : plainText(value);
  };
  const asked = query.filter((name) => values[name] !== undefined).map((name) => [name, text(name)]);
  const { body } = values;
  return {
    method,
    path: fillPath(path, values),
    query: z.record(z.string(), z.string()).parse(Object.fromEntries(asked)),
    ...(body === undefined ? {} : { body }),
  };
}

/** Characters of an answer to an assistant: more would fill what it can keep in mind. */
const longest = 40_000;

/**
 * The text of an answer. A list that is too long is cut after a whole element, and says how to get the others. Pure.
 */
export function boundedAnswer(body: unknown, most = longest): string {
  const text = JSON.stringify(body);
  if (text.length <= most) return text;
  if (!Array.isArray(body))
    return `${text.slice(0, most)}… (${text.length} characters; the rest is left out)`;
  const kept: string[] = [];
  let length = 0;
  for (const element of body) {
    const own = JSON.stringify(element);
    length += own.length + 1;
    if (length > most) break;
    kept.push(own);
  }
  return `[${kept.join()}]\n${kept.length} of ${body.length} are shown. Narrow the list by its filters, or ask for fewer with Limit and go on with Offset, After or Before.`;
}

const parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header', 'cookie']),
  required: z.boolean().default(false),
  description: z.string().optional(),
  schema: z.record(z.string(), z.json()).default({}),
});
const operation = z.object({
  operationId: z.string(),
  'x-authorization-level': z.enum(levels).default('UR'),
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
interface Tool {
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
export function toolsOf(
  document: Document,
  { writes, level }: { readonly writes: boolean; readonly level: Level },
): readonly Tool[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    verbs.flatMap((verb): Tool[] => {
      const found = item[verb];
      if (found === undefined || leftOut.test(path) || (verb !== 'get' && !writes)) return [];
      if (levels.indexOf(found['x-authorization-level']) > levels.indexOf(level)) return [];
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
