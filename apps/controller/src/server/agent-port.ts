import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type SecureServerOptions,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { ServerCertificate } from './server-certificate.ts';
import { createTcpPort } from './tcp-port.ts';
import { createHandshakes, onFirstBytes } from './tls-handshakes.ts';
import { secureContextOptions, tlsServerOptions } from './tls-options.ts';

export interface AgentPort {
  /** Receives each connection when its TLS handshake begins. */
  readonly server: Http2SecureServer;
  /** Listens; resolves with the port. Port 0 selects a free one. Rejects when the port is in use. */
  listen(port: number, host: string | undefined): Promise<number>;
  /** Sets the certificate of new connections, and the authorities (PEM) of their client certificates. */
  renew(certificate: ServerCertificate, authorities: readonly string[]): void;
  /** Accepts no more connections; resolves when the gateway has ended the open ones. */
  close(): Promise<void>;
}

/** Creates the agents' port. TLS begins when `gateway` has admitted the connection and its first bytes have arrived. */
export function createAgentPort({
  certificate,
  authorities,
  gateway,
  handler,
}: {
  readonly certificate: ServerCertificate;
  readonly authorities: readonly string[];
  readonly gateway: {
    /** False: the gateway closed the connection. */
    admits(socket: Socket): boolean;
    attach(server: Http2SecureServer): void;
  };
  readonly handler: Handler;
}): AgentPort {
  const server = createSecureServer(agentPortOptions(certificate, authorities), handler);
  // Node's default would answer an unknown Expect with 417.
  server.on('checkExpectation', handler);
  gateway.attach(server);
  const beginTls = createHandshakes(server);
  const port = createTcpPort((socket) => {
    if (gateway.admits(socket)) onFirstBytes(socket, () => beginTls(socket));
  });
  return {
    server,
    listen: (number, host) => port.listen(number, host),
    renew: (next, trusted) => server.setSecureContext({ ...secureContextOptions(next), ca: [...trusted] }),
    close: () => port.close(),
  };
}

/**
 * Megabytes that one connection may use for its headers and streams; the window of a stream bounds the data within it.
 */
const maxSessionMegabytes = 2;

/**
 * The options of the agents' port, which accepts certificates of these authorities (PEM). An agent has one stream on a
 * connection, and a few more while it replaces it.
 */
function agentPortOptions(
  certificate: ServerCertificate,
  authorities: readonly string[],
): SecureServerOptions & { readonly requireHostHeader: false } {
  return {
    ...tlsServerOptions(certificate),
    // Enrolment and downloads have no certificate; the gateway checks the certificates of streams.
    ca: [...authorities],
    requestCert: true,
    rejectUnauthorized: false,
    allowHTTP1: true, // for curl and wget
    // Node's default would answer each of thousands of requests without Host.
    requireHostHeader: false,
    maxSessionMemory: maxSessionMegabytes,
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
