import { type createResourceFinder, showsList } from '@vantage/rest-kit/entity-tag';
import type { Route } from '@vantage/rest-kit/route';
import { z } from 'zod';

/** Finds the single resource that a route reads or changes. */
export type FindResource = ReturnType<typeof createResourceFinder>;

const header = (description: string, schema: z.ZodType, example: unknown) =>
  schema.meta({ description, example });
const tagExample = '"8dddb028ef293a71.27ffe370b5a1f0c4"';

const named = header(
  'A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.',
  z.string().optional(),
  'deploy-42',
);
const ifMatch = header(
  'Changes the resource only while its settings are those of this ETag; code 1005 otherwise.',
  z.string().optional(),
  tagExample,
);
const ifNoneMatch = header(
  'ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.',
  z.string().optional(),
  tagExample,
);
const idempotencyKey = header(
  'Makes the request safe to repeat: 1 to 128 printable characters, a new one (such as a UUID) for each new request. A repetition with the same body within 24 hours gets the first answer and does nothing again; one with another body is code 1005.',
  z.string().min(1).max(128).optional(),
  '5d8f1b1e-6f5c-4b0e-9a41-0d2f6c1f7f3a',
);
const lastEventId = header(
  'For a stream: the id of the last event that the reader has; the answer begins with the events after it.',
  z.string().optional(),
  undefined,
);

/** The headers that a request of this route may carry. */
export function requestHeaders(route: Route, findResource: FindResource): z.ZodObject {
  const isSingle = findResource(route) !== undefined;
  return z.object({
    'X-Request-Id': named,
    ...((isSingle && route.method === 'GET') || showsList(route) ? { 'If-None-Match': ifNoneMatch } : {}),
    ...(isSingle && route.method !== 'GET' ? { 'If-Match': ifMatch } : {}),
    ...(route.method === 'POST' && route.level !== 'none' ? { 'Idempotency-Key': idempotencyKey } : {}),
    ...(route.streams === 'events' ? { 'Last-Event-ID': lastEventId } : {}),
  });
}

const requestId = header(
  'Names the request in the log of the service: the id that the client sent, or a new one.',
  z.string(),
  'c0ffee00c0ffee00',
);
const entityTag = header(
  '`"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).',
  z.string(),
  tagExample,
);
const listTag = header(
  'Weak: another one when the answer changed, for If-None-Match (RFC 9110, section 8.8.3).',
  z.string(),
  'W/"27ffe370b5a1f0c4"',
);

/** Headers of every answer. */
export const everyAnswer = {
  'X-Request-Id': requestId,
  'RateLimit-Policy': header(
    'How many requests of a key may be under way at once (draft-ietf-httpapi-ratelimit-headers).',
    z.string().optional(),
    '"key";q=80;qu="concurrent-requests"',
  ),
  RateLimit: header('How many further ones find room now.', z.string().optional(), '"key";r=79'),
  Deprecation: header(
    'The request has a deprecated parameter: the date of its deprecation (RFC 9745).',
    z.string().optional(),
    '@1795910400',
  ),
} as const;

const revision = header(
  'Send it as `ChangedSince` to get what changed since this answer.',
  z.string(),
  'mb1ou4ao-2f6-hqy6qs8cdk',
);

/** Headers of an answer without a body, because the client has the resource already. */
export const notModified = {
  ...everyAnswer,
  ETag: entityTag,
  'Vantage-Revision': revision.optional(),
} as const;

/** Headers of a request with a wrong verb. */
export const refusal = {
  Allow: header(
    'With code 1000 for a wrong verb: the verbs that this path supports.',
    z.string().optional(),
    'GET, POST',
  ),
} as const;

/** Headers of a request that came too early. */
export const tooEarly = {
  'Retry-After': header('Seconds to wait before the next request.', z.int().min(1), 30),
} as const;

/** Headers of the good answer of a route. */
export function answerHeaders(route: Route, findResource: FindResource): z.ZodObject {
  const { response, query, path, method, names, level, setsCookie } = route;
  const isPaged = response instanceof z.ZodArray && query?.shape['Limit'] !== undefined;
  const isDevice =
    path.startsWith('/devices') && !isPaged && (method !== 'GET' || path.endsWith('{device_id}'));
  const resource = findResource(route, 'answers');
  const showsResource = resource !== undefined && (method === 'GET' || response === resource.read.response);
  return z.object({
    ...everyAnswer,
    ...(showsResource ? { ETag: entityTag } : {}),
    ...(showsList(route) ? { ETag: listTag } : {}),
    ...(method === 'POST' && level !== 'none' ? { 'Idempotency-Replayed': replayed } : {}),
    ...(setsCookie ? { 'Set-Cookie': cookie } : {}),
    ...(isPaged ? pageHeaders : {}),
    ...(query?.shape['ChangedSince'] === undefined ? {} : { 'Vantage-Revision': revision }),
    ...(isDevice && method !== 'DELETE' ? { 'Vantage-Warning': warning } : {}),
    ...(path === '/devices' && method === 'PUT' ? { 'Vantage-Created': created } : {}),
    ...(names === undefined ? {} : { 'Content-Disposition': disposition }),
  });
}

const pageHeaders = {
  Link: header(
    'The address of the next page (RFC 8288), while there are more rows.',
    z.string().optional(),
    '</v1.1/devices?Limit=100&Offset=100>; rel="next"',
  ),
  'X-Total-Count': header('Rows of all pages, where counting is cheap.', z.int().min(0).optional(), 2000),
};
const replayed = header(
  'With `true`: the answer of an earlier request with the same Idempotency-Key.',
  z.string().optional(),
  'true',
);
const warning = header(
  'What is accepted, but likely not meant; several are joined by `; `.',
  z.string().optional(),
  'The private address 192.0.2.1 is checked from several Locations.',
);
const created = header('Y: the device is new; N: it was there and was changed.', z.enum(['Y', 'N']), 'Y');
const cookie = header(
  'Sets or removes the cookie of the session.',
  z.string(),
  '__Host-vantage-session=…; Path=/; Secure; HttpOnly; SameSite=Strict',
);
const disposition = header(
  'With `filename`: the file name (RFC 6266 and RFC 8187).',
  z.string().optional(),
  'attachment; filename="devices.csv"',
);
