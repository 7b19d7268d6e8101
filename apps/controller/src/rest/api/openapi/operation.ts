import { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { formats } from '../../http/form.ts';
import type { Route } from '../../http/route.ts';
import { answersOf } from './answers.ts';
import { type FindResource, requestHeaders } from './headers.ts';
import { operationId } from './operation-id.ts';

const formQuery = z.object({
  fmt: z
    .enum(formats)
    .default('json')
    .describe('Form of a good answer; failures are JSON always.')
    .meta({ example: 'json' }),
  filename: z.string().optional().describe('Offers the answer as a file of this name.'),
});

/** The credentials of a request. A key with a user name and a password needs both. */
export const withKey = [
  { apiKeyHeader: [] },
  { apiKeyQuery: [] },
  { apiKeyHeader: [], basic: [] },
  { apiKeyQuery: [], basic: [] },
];

/** A route as an operation of the OpenAPI document. */
export function operationOf(route: Route, findResource: FindResource): ZodOpenApiOperationObject {
  const placeholders = [...route.path.matchAll(/\{(\w+)\}/g)].map(
    ([, name = '']) => [name, z.string().describe(`The ${name}: 48 lowercase hexadecimal digits.`)] as const,
  );
  const query = route.names === undefined ? route.query : formQuery.extend(route.query?.shape ?? {});
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary.replace(/\.$/, ''),
    description: textOf(route),
    ...(route.level === 'none' ? { security: [{}, ...withKey] } : {}),
    'x-authorization-level': route.level,
    requestParams: {
      ...(placeholders.length === 0 ? {} : { path: z.object(Object.fromEntries(placeholders)) }),
      ...(query === undefined ? {} : { query }),
      header: requestHeaders(route, findResource),
    },
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: needsBody(route),
            description: 'JSON, with the header `Content-Type: application/json`.',
            content: { 'application/json': { schema: route.body } },
          },
        }),
    responses: answersOf(route, findResource),
  };
}

/** Creating and changing need a body. A verb such as start-maintenance needs one where a field of it must be sent. */
function needsBody({ path, body }: Route): boolean {
  const last = path.split('/').at(-1) ?? '';
  const isVerb = path.split('/').length > 3 && !last.startsWith('{');
  return !isVerb || body?.safeParse({}).success === false;
}

/** Of an answer that goes on. */
const streamTexts = {
  events:
    'With `stream` the answer is `text/event-stream`: each `data` holds one of the records described here.',
  lines:
    'With `stream` the answer is `application/jsonl`: each line holds one of the records described here, and `Hash`.',
} as const;

function textOf({ summary, description, level, names, streams, response }: Route): string {
  const rows = response instanceof z.ZodArray ? 'a row for each' : 'one row';
  return [
    description ?? summary,
    ...(streams === undefined ? [] : [streamTexts[streams]]),
    ...(names === undefined
      ? []
      : [
          `With \`fmt=xml\` the answer is \`application/xml\` with the element \`<${names.root}>\`, with \`fmt=csv\` it is \`text/csv\` with ${rows}.`,
        ]),
    levels[level],
  ].join('\n\n');
}

const levels = {
  none: 'Works without a key.',
  UR: 'Any key of the account may do this.',
  UO: 'A key of the level UO, UW or UA may do this.',
  UW: 'A key of the level UW or UA may do this.',
  UA: 'A key of the level UA may do this.',
} as const;
