import type { IncomingMessage, ServerResponse } from 'node:http';
import { malformed } from './problem.ts';

/**
 * RFC 9112, section 6.1: HTTP/1.0 has no Transfer-Encoding, so a proxy before us may see the end of such a request
 * elsewhere.
 */
export function validateFraming({ headers, httpVersion }: IncomingMessage, response: ServerResponse): void {
  if (httpVersion !== '1.0' || headers['transfer-encoding'] === undefined) return;
  response.shouldKeepAlive = false;
  throw malformed(
    'A request of HTTP/1.0 cannot have the header Transfer-Encoding. Send Content-Length, or HTTP/1.1.',
  );
}

/** RFC 9112, section 3.2: exactly one. */
export function validateHost({ headersDistinct, httpVersion }: IncomingMessage): void {
  const hosts = headersDistinct['host']?.length ?? 0;
  if (hosts > 1) throw malformed(`The header Host was sent ${hosts} times. Send it once.`);
  if (hosts === 0 && httpVersion !== '1.0') throw malformed('The header Host is missing.');
}
