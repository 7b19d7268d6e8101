import { z } from 'zod';
import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi';
import { createResourceFinder } from '../../http/entity-tag.ts';
import type { Route } from '../../http/route.ts';
import { sessionCookieName } from '../../http/session.ts';
import { describeProperty, describeSchemas } from './describe.ts';
import { deviceChange, devicesByMethod, optionSchemas } from './devices.ts';
import { createExampleMaker } from './examples.ts';
import { operationOf, withKey } from './operation.ts';
import { mapSchema, mapValues, readSchema, refTo, type Schema, type Schemas } from './schema.ts';
import { webhooks } from './webhooks.ts';

const tags: Readonly<Record<string, string>> = {
  Service: 'The service itself.',
  Checks: 'Records of checks, and checks on request.',
  Devices: 'What is monitored: a Method, a URL and settings.',
  Events: 'The history of changes.',
  Maintenance: 'Starting and stopping maintenance.',
  Outages: 'Times in which devices were Down.',
  Uptime: 'How long devices were Up.',
  Statistics: 'Figures of checks.',
  Tags: 'Groups of devices.',
  Account: 'The account of the key.',
  Locations: 'Places from which agents check.',
  Agents: 'The programs that run the checks.',
  Audit: 'Who changed what.',
  Batch: 'Many requests in one.',
  Alerts: 'Decisions to notify people.',
  Contacts: 'Where notifications go.',
  Hooks: 'Where every event goes.',
  'Status pages': 'How devices are, for people without a key.',
  'Monthly reports': 'Uptime and outages of a month, by mail to contacts.',
  'Maintenance schedules': 'Maintenance windows that recur.',
  'Notification schedules': 'Who is notified, when and how often.',
  Keys: 'Keys of the API.',
  Users: 'People who sign in.',
  Sessions: 'Signing in with a browser.',
  Secrets: 'Write-only values for Options and scripts.',
};

/** The OpenAPI 3.1 document of a route table, as plain JSON. */
export function openApiDocument(routes: readonly Route[], version: string): object {
  const paths: ZodOpenApiPathsObject = {};
  const findResource = createResourceFinder(routes);
  for (const route of routes)
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: operationOf(route, findResource),
    };
  const raw = createDocument(
    {
      ...frameOf(routes, version),
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

/** Its order is that of the document: readers and tools look at the begin for the version. */
const documentShape = z.looseObject({
  openapi: z.string(),
  info: z.json(),
  paths: z.json(),
  components: z.looseObject({ schemas: z.record(z.string(), z.json()), responses: z.json() }),
});

function frameOf(routes: readonly Route[], version: string) {
  const used = [...new Set(routes.map(({ tag }) => tag))];
  return {
    openapi: '3.1.0' as const,
    info: {
      title: 'Device Monitoring Service API',
      version: '1.1',
      description: `Served by Vantage ${version}. A good answer is 200. Every request that fails by the caller's fault is 400 with \`code\` and \`message\`. What is marked as deprecated works for at least a year longer, and as long as the path begins with \`/v1.1\`; answers may get new fields at any time.`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/v1.1', description: 'The controller that serves this document.' }],
    tags: used.map((name) => ({ name, description: tags[name] ?? name })),
    security: [...withKey, { session: [] }],
  };
}

const securitySchemes = {
  apiKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'Service-API-Key',
    description: 'The key of the account. This form is recommended.',
  },
  apiKeyQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'api_key',
    description: 'The key of the account, for clients that cannot send a header.',
  },
  basic: {
    type: 'http',
    scheme: 'basic',
    description: 'Besides the key, where a user name and a password were set for it.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookieName,
    description:
      'For web pages of this controller: the cookie of `POST /session`. Changes need the header X-CSRF-Token, too.',
  },
} as const;

/**
 * Adds to the body of each PUT what its resource returns and nobody can set, marked readOnly in both, so that a client
 * may change a field of what it read and send all of it back.
 */
function withReadOnly(schemas: Schemas, routes: readonly Route[]): Schemas {
  const made = { ...schemas };
  for (const { method, body, response, readOnly = [] } of routes) {
    const [sent, returned] = [body && z.globalRegistry.get(body)?.id, z.globalRegistry.get(response)?.id];
    const [from, to] = [made[returned ?? ''], made[sent ?? '']];
    if (method !== 'PUT' || from === undefined || to === undefined) continue;
    const own = Object.entries(from.properties ?? {})
      .filter(([name]) => readOnly.includes(name) && to.properties?.[name] === undefined)
      .map(([name, schema]): [string, Schema] => [name, { ...schema, readOnly: true }]);
    const marked = Object.fromEntries(own);
    made[returned ?? ''] = { ...from, properties: { ...from.properties, ...marked } };
    made[sent ?? ''] = { ...to, properties: { ...to.properties, ...marked } };
  }
  return made;
}

/**
 * Finishes what paths and responses hold: schemas are described, and parameters, headers and bodies get their examples.
 */
function createFinisher(schemas: Schemas) {
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
    const shown = exampleOf(schema, sent);
    const { examples: _, ...plain } = schema;
    return { ...parts, schema: plain, ...(shown === undefined ? {} : { example: shown }) };
  };
  return (value: unknown) => finish(value);
}

function finishSchema(schema: Schema, property: string | undefined): Schema {
  const described = mapSchema(schema, describeProperty, { component: '', property });
  return described.$ref === refTo('DeviceUpdate').$ref
    ? { oneOf: [refTo('DeviceUpdate'), refTo('DeviceChange')] }
    : described;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
