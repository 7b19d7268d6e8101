import type { Context, Next } from 'koa';

/** Headers of answers that pages may read besides the few that the standard lets them read. */
const readable = [
  'Content-Disposition',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Retry-After',
  'Vantage-Warning',
  'X-Request-Id',
  'X-Total-Count',
];
/** Headers of requests that pages may send. */
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
/** How long a browser may remember what it was allowed, seconds. */
const rememberS = 600;

/**
 * Opens the API to web pages of these origins (`https://status.example.org`; the Fetch standard, section "HTTP-CORS
 * protocol"). A browser's question before a request (`OPTIONS` with Access-Control-Request-Method) is answered without
 * a key, because browsers send none with it.
 */
export function createCors({
  origins,
  keyHeaders,
}: {
  readonly origins: readonly string[];
  /** Headers besides Service-API-Key that carry the key. */
  readonly keyHeaders: readonly string[];
}): (context: Context, next: Next) => Promise<void> {
  const allowed = new Set(origins);
  return async (context, next) => {
    const origin = context.get('Origin');
    if (allowed.size > 0) context.vary('Origin');
    if (!allowed.has(origin)) return next();
    context.set({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers': readable.join(', '),
    });
    if (context.method !== 'OPTIONS' || context.get('Access-Control-Request-Method') === '') return next();
    context.set({
      'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, DELETE',
      'Access-Control-Allow-Headers': [...writable, ...keyHeaders].join(', '),
      'Access-Control-Max-Age': String(rememberS),
    });
    context.status = 204;
  };
}
