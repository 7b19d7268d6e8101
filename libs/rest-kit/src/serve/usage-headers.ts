import { z } from 'zod';
import { keySlots } from '../limits/key-load.ts';
import type { Route } from './route.ts';

/** When the older names of parameters were replaced, as RFC 9745 writes it: 2026-11-29. */
const deprecatedSince = '@1795910400';

/**
 * Headers about how a request uses the API: whether one of its parameters is marked as deprecated (RFC 9745), and how
 * many further requests its key may have under way (draft-ietf-httpapi-ratelimit-headers-09); undefined: no key.
 */
export function usageHeaders(
  { query: schema }: Pick<Route, 'query'>,
  query: URLSearchParams,
  left: number | undefined,
): Record<string, string> {
  const { shape = {} } = schema ?? {};
  const isOld = [...query.keys()].some((name) => {
    const parameter = Object.hasOwn(shape, name) ? shape[name] : undefined;
    return parameter instanceof z.ZodType && parameter.meta()?.['deprecated'] === true;
  });
  const most = keySlots.running + keySlots.waiting;
  return {
    ...(isOld ? { Deprecation: deprecatedSince } : {}),
    ...(left === undefined
      ? {}
      : { 'RateLimit-Policy': `"key";q=${most};qu="concurrent-requests"`, RateLimit: `"key";r=${left}` }),
  };
}
