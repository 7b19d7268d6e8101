import { formats } from '@vantage/rest-kit/answer-form';
import type { Route } from '@vantage/rest-kit/route';
import { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { type FindResource, requestHeaders } from './headers.ts';
import { answersOf } from './operation-answers.ts';
import { operationId } from './operation-id.ts';
import { textOf } from './operation-text.ts';

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
