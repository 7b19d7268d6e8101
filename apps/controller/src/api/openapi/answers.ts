import { z } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import type { Route } from '../../http/route.ts';

const problem = z
  .strictObject({
    code: z
      .int()
      .describe(
        '1000 malformed request, 1001 missing or unknown key or wrong credentials, 1002 access denied, 1003 not found, 1004 invalid value, 1005 conflict with the present state, 1006 too many requests, 1007 HTTPS required, 1500 internal, 1503 unavailable.',
      ),
    message: z.string(),
    errors: z.array(z.strictObject({ field: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Problem' });

const header = (description: string, schema: z.ZodType, example: unknown) =>
  schema.meta({ description, example });

const requestId = header(
  'Names the request in the log of the service; a client may send one of its own.',
  z.string(),
  'c0ffee00c0ffee00',
);
const retryAfter = header('Seconds to wait before the next request.', z.int().min(1), 30);
const allow = header(
  'With code 1000 for a wrong verb: the verbs that this path supports.',
  z.string().optional(),
  'GET, POST',
);

const failure = (
  id: string,
  description: string,
  headers?: Record<string, z.ZodType>,
): ZodOpenApiResponseObject => ({
  id,
  description,
  headers: z.object({ 'X-Request-Id': requestId, ...headers }),
  content: { 'application/json': { schema: problem } },
});

const failures = {
  '400': failure('Refused', 'The request failed by the caller’s fault. `code` and `message` say why.', {
    Allow: allow,
  }),
  '429': failure(
    'TooManyRequests',
    'Too many bad keys from this address, or too many requests of this key at once.',
    { 'Retry-After': retryAfter },
  ),
  '500': failure('InternalError', 'A fault of the service.'),
  '503': failure('Unavailable', 'The service is unavailable at the moment.'),
} as const;

/** The answers of a route: JSON only, so that a generated type is the resource itself. The text of the operation tells of XML and CSV. */
export function answersOf(route: Route): ZodOpenApiResponsesObject {
  return {
    '200': {
      description: 'The request was processed.',
      headers: headersOf(route),
      content: { [route.mediaType ?? 'application/json']: { schema: route.response } },
    },
    ...failures,
  };
}

function headersOf({ response, query, path, method, names }: Route): z.ZodObject {
  const isPaged = response instanceof z.ZodArray && query?.shape['Limit'] !== undefined;
  const isDevice =
    path.startsWith('/devices') && !isPaged && (method !== 'GET' || path.endsWith('{device_id}'));
  const shape = {
    'X-Request-Id': requestId,
    ...(isPaged ? pageHeaders : {}),
    ...(isDevice && method !== 'DELETE' ? { 'Vantage-Warning': warning } : {}),
    ...(names === undefined ? {} : { 'Content-Disposition': disposition }),
  };
  return z.object(shape);
}

const pageHeaders = {
  Link: header(
    'The address of the next page (RFC 8288), while there are more rows.',
    z.string().optional(),
    '</v1.1/devices?Limit=100&Offset=100>; rel="next"',
  ),
  'X-Total-Count': header('Rows of all pages, where counting is cheap.', z.int().min(0).optional(), 2000),
};
const warning = header(
  'What is accepted, but likely not meant; several are joined by `; `.',
  z.string().optional(),
  'The private address 192.0.2.1 is checked from several Locations.',
);
const disposition = header(
  'With `filename`: the file name (RFC 6266 and RFC 8187).',
  z.string().optional(),
  'attachment; filename="devices.csv"',
);
