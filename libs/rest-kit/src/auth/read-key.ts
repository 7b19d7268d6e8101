import type { IncomingHttpHeaders } from 'node:http';
import { badKey } from '../serve/problem.ts';

/**
 * The one key of a request; several different ones are as bad as a wrong one. Node and proxies join headers of one name
 * by commas, which no key holds (RFC 9110, section 5.3).
 */
export function readKey(
  headerNames: readonly string[],
  headers: IncomingHttpHeaders,
  query: URLSearchParams,
): string | undefined {
  const inHeaders = headerNames.flatMap((name) => headers[name] ?? []).flatMap((value) => value.split(','));
  const keys = new Set([...inHeaders, ...query.getAll('api_key')].map((key) => key.trim()));
  if (keys.size > 1) throw badKey('Several different keys were sent.');
  const [key] = keys;
  return key;
}
