import { refusalReasons } from '@vantage/kernel';
import { operationResult } from '@vantage/rest-kit/batch-fields';
import { showsList } from '@vantage/rest-kit/entity-tag';
import { internal, invalid, type Problem, tooMuch } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { unavailable } from '@vantage/rest-kit/storage-guard';
import { z } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { answerHeaders, everyAnswer, type FindResource, notModified, refusal, tooEarly } from './headers.ts';

const problemRecord = z
  .strictObject({
    code: z
      .int()
      .describe(
        '1000 malformed request, 1001 missing or unknown key or wrong credentials, 1002 access denied, 1003 not found, 1004 invalid value, 1005 conflict with the present state, 1006 too many requests, 1007 HTTPS required, 1500 internal, 1503 unavailable.',
      ),
    reason: z.enum(refusalReasons),
    message: z.string(),
    errors: z
      .array(z.strictObject({ field: z.string(), message: z.string(), reason: z.enum(refusalReasons) }))
      .optional(),
    Results: z
      .array(operationResult)
      .optional()
      .describe('Of an atomic batch in which an operation failed: the results up to the failed one.'),
    Accounts: z
      .array(z.string())
      .optional()
      .describe('Of a sign-in that has to name its account: the accounts of the person.')
      .meta({ example: ['default', 'branch'] }),
  })
  .meta({ id: 'Problem' });

const failure = (
  id: string,
  description: string,
  problem: Problem,
  headers?: Record<string, z.ZodType>,
): ZodOpenApiResponseObject => ({
  id,
  description,
  headers: z.object({ ...everyAnswer, ...headers }),
  content: { 'application/json': { schema: problemRecord, example: problem.toJSON() } },
});

const failures = {
  '400': failure(
    'Refused',
    'The request failed by the caller’s fault. `code`, `reason` and `message` say why.',
    invalid([{ field: 'Limit', message: 'must be digits only' }]),
    refusal,
  ),
  '429': failure(
    'TooManyRequests',
    'Too many bad keys from this address, or too many requests of this key at once.',
    tooMuch('Too many requests of this key are waiting.'),
    tooEarly,
  ),
  '500': failure('InternalError', 'A fault of the service.', internal()),
  '503': failure('Unavailable', 'The service is unavailable at the moment.', unavailable()),
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
