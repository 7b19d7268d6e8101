import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';

type Handler = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

/**
 * Keeps a request's `:authority` from ending the controller. The handler behind reads it as part of a URL and throws when it is none;
 * node's own HTTP/2 client sends IPv6 addresses without their brackets. Nothing depends on the name, so a bad one is replaced.
 */
export function withSafeAuthority(handler: Handler): Handler {
  return (request, response) => {
    const authority = request.headers[':authority'] ?? request.headers.host;
    if (authority === undefined || !URL.canParse(`https://${authority}`)) {
      request.headers[':authority'] = 'controller.invalid';
      request.headers.host = 'controller.invalid';
    }
    handler(request, response);
  };
}
