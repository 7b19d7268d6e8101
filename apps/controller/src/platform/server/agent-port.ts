import type { Http2ServerRequest, Http2ServerResponse, SecureServerOptions } from 'node:http2';
import type { ServerCertificate } from './tls.ts';
import { tlsServerOptions } from './tls-options.ts';

/**
 * Megabytes that one connection may take for its headers and streams; the window of a stream bounds the data within it.
 */
const sessionMemory = 2;

/**
 * The options of the agents' port, which accepts certificates of these authorities (PEM). An agent has one stream on a
 * connection, and a few more while it replaces it.
 */
export function agentPortOptions(
  certificate: ServerCertificate,
  authorities: readonly string[],
): SecureServerOptions & { readonly requireHostHeader: false } {
  return {
    ...tlsServerOptions(certificate),
    // Enrolment and downloads come without a certificate; the gateway judges the one of a stream.
    ca: [...authorities],
    requestCert: true,
    rejectUnauthorized: false,
    allowHTTP1: true, // for curl and wget
    // Node would answer a request without Host by itself, and each of thousands that come at once.
    requireHostHeader: false,
    maxSessionMemory: sessionMemory,
    settings: { maxConcurrentStreams: 4, maxHeaderListSize: 16 * 1024, enablePush: false },
  };
}

type Handler = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

/**
 * Keeps a request's `:authority` from ending the controller. Connect's handler reads it as part of a URL and throws
 * when it is none. Node's own HTTP/2 client sends IPv6 addresses without brackets. The controller does not use the
 * name, so a bad one is replaced.
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
