import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Clock, createLogSummary, descriptorLimit, type Logger } from '@vantage/kernel';
import { type ConnectionCaps, connectionCaps } from './connection-caps.ts';
import { type PhaseLimits, phaseLimits } from './connection-phase.ts';
import { createConnections } from './connections.ts';
import type { ServerCertificate } from './server-certificate.ts';
import { isParserStopped } from './stop-parser.ts';
import { createTcpPort } from './tcp-port.ts';
import { createHandshakes, onFirstBytes } from './tls-handshakes.ts';
import { secureContextOptions, tlsServerOptions } from './tls-options.ts';

export interface ApiPort {
  /** Listens; resolves with the port. With port 0 it takes a free one. Rejects when the port is taken. */
  listen(port: number, host: string | undefined): Promise<number>;
  /** Sets the certificate of new connections. */
  renew(certificate: ServerCertificate): void;
  /** Accepts no more connections, waits up to `graceMs` for running requests, then closes all connections. */
  close(graceMs: number): Promise<void>;
}

/** The first byte of a TLS handshake record (RFC 8446, section 5.1). */
const tlsHandshake = 0x16;

/**
 * Creates the REST API's port. It speaks TLS, and reads a connection that starts with anything else as plain HTTP. The
 * same handler refuses plain HTTP, or serves it for a trusted proxy; the handler sees by the socket whether TLS is
 * used. Connections beyond the caps, and connections that stay too long in a phase, are closed.
 */
export function createApiPort(deps: {
  readonly certificate: ServerCertificate;
  readonly handler: RequestListener;
  /** Answers input that is no HTTP, or closes the connection. */
  readonly clientError?: (error: Error, socket: Duplex) => void;
  readonly isTrustedProxy: (peer: string) => boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly caps?: ConnectionCaps;
  readonly limits?: PhaseLimits;
  /** See `unsentCapBytes`. */
  readonly unsentBytes?: number;
}): ApiPort {
  const { clock, log, limits = phaseLimits, caps = connectionCaps(descriptorLimit()) } = deps;
  const refusals = createLogSummary({ clock, log });
  const connections = createConnections({
    clock,
    caps,
    limits,
    isProxy: deps.isTrustedProxy,
    onRefused: (address, reason) =>
      refusals.count(
        reason === 'network'
          ? 'a connection to the REST port is refused: its address has too many'
          : 'a connection to the REST port is closed: too many are open',
        { address, ...caps },
      ),
    onUnread: (address, reason) =>
      refusals.count(
        reason === 'bytes'
          ? 'a connection to the REST port is closed: answers that clients do not read take too much memory'
          : 'a connection to the REST port ends: too many requests wait for the answers before them',
        { address },
      ),
    ...(deps.unsentBytes === undefined ? {} : { unsentBytes: deps.unsentBytes }),
  });
  const handler: RequestListener = (request, response) => {
    connections.request({ request, response, begin: () => deps.handler(request, response) });
  };
  const options = {
    // Node enforces these only in servers that listen themselves; here `connections` does it.
    headersTimeout: 0,
    requestTimeout: 0,
    keepAliveTimeout: limits.idleMs,
    requireHostHeader: false, // the handler answers with a Problem of its own
  };
  const https = createHttpsServer({ ...options, ...tlsServerOptions(deps.certificate) }, handler);
  const http = createHttpServer(options, handler);
  https.on('secureConnection', (socket) => connections.secured(socket));
  const { clientError } = deps;
  for (const server of [https, http]) {
    // Node's defaults would answer an unknown Expect with 417, and close the connection at a CONNECT.
    server.on('checkExpectation', handler);
    if (clientError === undefined) continue;
    server.on('clientError', (error, socket) => {
      if (!isParserStopped(error)) clientError(error, socket);
    });
    server.on('connect', (_request, socket) => clientError(new Error('CONNECT'), socket));
  }
  const beginTls = createHandshakes(https);
  const accept = (socket: Socket) => {
    if (!connections.admit(socket)) return;
    onFirstBytes(socket, (first) => {
      const isTls = first[0] === tlsHandshake;
      connections.firstByte(socket, isTls);
      if (isTls) beginTls(socket);
      else http.emit('connection', socket);
    });
  };
  const port = createTcpPort(accept);
  return {
    listen: (number, host) => port.listen(number, host),
    renew: (certificate) => https.setSecureContext(secureContextOptions(certificate)),
    async close(graceMs) {
      using _deadline = clock.timer(graceMs, () => connections.destroyAll());
      const closed = port.close();
      connections.closeIdle();
      await closed;
      connections.destroyAll();
      refusals[Symbol.dispose]();
    },
  };
}
