import cors from '@koa/cors';
import type { Middleware } from 'koa';

/** Response headers that pages may read, in addition to the few that the Fetch standard exposes. */
const readable = [
  'Content-Disposition',
  'Deprecation',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Vantage-Created',
  'Vantage-Warning',
  'X-Request-Id',
  'X-Total-Count',
];

/** Request headers that pages may send. */
const writable = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'Service-API-Key',
  'X-Request-Id',
];

/** Browsers may cache the answer to a preflight request for this long, seconds. */
const rememberS = 600;

/**
 * Opens the API to web pages of these origins, such as `https://status.example.org`. Browsers send no key with a
 * preflight request, so it is answered here.
 */
export function openToOrigins({
  origins,
  keyHeaders,
}: {
  readonly origins: readonly string[];
  /** Headers besides Service-API-Key that carry the key. */
  readonly keyHeaders: readonly string[];
}): Middleware {
  if (origins.length === 0) return (_context, next) => next();
  const allowed = new Set(origins);
  return cors({
    origin: (context) => {
      const origin = context.get('Origin');
      return allowed.has(origin) ? origin : '';
    },
    exposeHeaders: [...readable],
    allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    allowHeaders: [...writable, ...keyHeaders],
    maxAge: rememberS,
  });
}
