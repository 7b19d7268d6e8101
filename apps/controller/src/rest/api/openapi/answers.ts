import { z } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { operationResult } from '../../http/batch.ts';
import { showsList } from '../../http/entity-tag.ts';
import type { Route } from '../../http/route.ts';
import { answerHeaders, everyAnswer, type FindResource, notModified, refusal, tooEarly } from './headers.ts';

const problem = z
  .strictObject({
    code: z
      .int()
      .describe(
        '1000 malformed request, 1001 missing or unknown key or wrong credentials, 1002 access denied, 1003 not found, 1004 invalid value, 1005 conflict with the present state, 1006 too many requests, 1007 HTTPS required, 1500 internal, 1503 unavailable.',
      ),
    message: z.string(),
    errors: z.array(z.strictObject({ field: z.string(), message: z.string() })).optional(),
    Results: z
      .array(operationResult)
      .optional()
      .describe('Of an atomic batch in which an operation failed: its results up to that one.'),
  })
  .meta({ id: 'Problem' });

const failure = (
  id: string,
  description: string,
  headers?: Record<string, z.ZodType>,
): ZodOpenApiResponseObject => ({
  id,
  description,
  headers: z.object({ ...everyAnswer, ...headers }),
  content: { 'application/json': { schema: problem } },
});

const failures = {
  '400': failure(
    'Refused',
    'The request failed by the caller’s fault. `code` and `message` say why.',
    refusal,
  ),
  '429': failure(
    'TooManyRequests',
    'Too many bad keys from this address, or too many requests of this key at once.',
    tooEarly,
  ),
  '500': failure('InternalError', 'A fault of the service.'),
  '503': failure('Unavailable', 'The service is unavailable at the moment.'),
} as const;

const unchanged: ZodOpenApiResponseObject = {
  id: 'NotModified',
  description:
    'The client has the resource or list as it is: `If-None-Match` names its ETag. There is no body.',
  headers: z.object(notModified),
};

/**
 * The answers of a route: JSON only, so that a generated type is the resource itself. The text of the operation
 * describes XML and CSV.
 */
export function answersOf(route: Route, findResource: FindResource): ZodOpenApiResponsesObject {
  const isRead = (route.method === 'GET' && findResource(route) !== undefined) || showsList(route);
  return {
    '200': {
      description: 'The request was processed.',
      headers: answerHeaders(route, findResource),
      content: { [route.mediaType ?? 'application/json']: { schema: route.response } },
    },
    ...(isRead ? { '304': unchanged } : {}),
    ...failures,
  };
}
