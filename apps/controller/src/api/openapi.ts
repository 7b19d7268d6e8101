import { registry } from '@vantage/probes';
import { z } from 'zod';
import { createDocument, type ZodOpenApiPathsObject, type ZodOpenApiResponsesObject } from 'zod-openapi';
import { formats } from '../http/form.ts';
import { openRoute, type Route } from '../http/route.ts';

const problem = z
  .strictObject({
    code: z
      .int()
      .describe(
        '1000 malformed request, 1001 missing or unknown key or wrong credentials, 1002 access denied, 1003 no such thing, 1004 invalid value, 1005 conflict with the present state, 1006 too many requests, 1007 HTTPS required, 1500 internal, 1503 unavailable.',
      ),
    message: z.string(),
    errors: z.array(z.strictObject({ field: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Problem' });

const failures = {
  '400': 'The request failed; code says why.',
  '429': 'Too many bad keys from this address; see Retry-After.',
  '500': 'A fault of the service.',
  '503': 'The service is unavailable at the moment.',
} as const;

const formQuery = z.object({
  fmt: z.enum(formats).default('json').describe('Form of a good answer; failures are JSON always.'),
  filename: z.string().optional().describe('Offers the answer as a file of this name.'),
});

const streamHeaders = z.object({
  'Last-Event-ID': z
    .string()
    .optional()
    .describe(
      'For a stream: the id of the last event that the reader has; the answer begins with the events after it.',
    ),
});

/** The OpenAPI 3.1 document of a route table. */
function openApiDocument(routes: readonly Route[], version: string): object {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  const options = Object.values(registry).map(
    (probe) => [`Options${probe.method}`, optionsSchema(probe.options)] as const,
  );
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Device Monitoring Service API',
      version: '1.1',
      description: `Served by Vantage ${version}. Every failed request of the caller's answers 400 with code and message.`,
    },
    servers: [{ url: '/v1.1' }],
    security: [{ apiKeyHeader: [] }, { apiKeyQuery: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(options),
      securitySchemes: {
        apiKeyHeader: { type: 'apiKey', in: 'header', name: 'Service-API-Key' },
        apiKeyQuery: { type: 'apiKey', in: 'query', name: 'api_key' },
        basic: {
          type: 'http',
          scheme: 'basic',
          description: 'Besides the key, where a user name and password were set for it.',
        },
      },
    },
  });
}

/** Options as they are sent: what has a default may be left out (answers show them as they were sent). */
function optionsSchema(options: z.ZodType) {
  const text = JSON.stringify(z.toJSONSchema(options, { io: 'input', unrepresentable: 'any' }));
  const { $schema: _, ...schema } = z.record(z.string(), z.json()).parse(JSON.parse(text));
  return schema;
}

function operation(route: Route) {
  const placeholders = [...route.path.matchAll(/\{(\w+)\}/g)].map(
    ([, name = '']) => [name, z.string()] as const,
  );
  const query = route.names === undefined ? route.query : formQuery.extend(route.query?.shape ?? {});
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    ...(route.level === 'none' ? { security: [{}, { apiKeyHeader: [] }, { apiKeyQuery: [] }] } : {}),
    'x-authorization-level': route.level,
    requestParams: {
      ...(placeholders.length === 0 ? {} : { path: z.object(Object.fromEntries(placeholders)) }),
      ...(query === undefined ? {} : { query }),
      ...(route.streams === true ? { header: streamHeaders } : {}),
    },
    ...(route.body === undefined
      ? {}
      : { requestBody: { content: { 'application/json': { schema: route.body } } } }),
    responses: responses(route),
  };
}

function responses(route: Route): ZodOpenApiResponsesObject {
  const good =
    route.names === undefined || route.mediaType !== undefined
      ? { [route.mediaType ?? 'application/json']: { schema: route.response } }
      : {
          'application/json': { schema: route.response },
          'application/xml': { schema: { type: 'string' as const } },
          'text/csv': { schema: { type: 'string' as const } },
          ...(route.streams === true ? { 'text/event-stream': { schema: { type: 'string' as const } } } : {}),
        };
  return {
    '200': { description: 'The request was processed.', content: good },
    ...Object.fromEntries(
      Object.entries(failures).map(([status, description]) => [
        status,
        { description, content: { 'application/json': { schema: problem } } },
      ]),
    ),
  };
}

/** `getDevicesChecks` of `GET /devices/{device_id}/checks`; placeholders in the middle vanish, at the end they say One. */
function operationId({ method, path }: Route): string {
  const parts = path.split('/').filter((part) => part !== '');
  const words = parts.flatMap((part, at) =>
    part.startsWith('{') ? (at === parts.length - 1 ? ['one'] : []) : part.split(/[^A-Za-z0-9]+/),
  );
  return [method.toLowerCase(), ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join(
    '',
  );
}

/** Serves the document that describes this very table. */
export function openApiRoutes(tables: () => readonly Route[], version: string): Route[] {
  let document: object | undefined;
  return [
    openRoute({
      method: 'GET',
      path: '/openapi.json',
      tag: 'Service',
      summary: 'The OpenAPI 3.1 document of this interface.',
      response: z.looseObject({ openapi: z.string() }),
      names: undefined,
      handler: async () => {
        document ??= openApiDocument(tables(), version);
        return { body: document };
      },
    }),
  ];
}
