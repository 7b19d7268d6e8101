import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createNetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ServerCertificate } from './tls.ts';
import { secureContextOptions, tlsServerOptions } from './tls-options.ts';

/** The REST API's port. */
export interface ApiPort {
  /** Listens; resolves with the port (0 asked: a free one). Rejects when the port is taken. */
  listen(port: number, host: string | undefined): Promise<number>;
  /** New connections get this certificate. */
  renew(certificate: ServerCertificate): void;
  /** Takes no more connections, lets running requests end for `graceMs`, then cuts them. */
  close(graceMs: number): Promise<void>;
}

/** First byte of a TLS handshake record (RFC 8446, section 5.1). */
const tlsHandshake = 0x16;
/** A client that connects and says nothing is let go after this. */
const firstByteMs = 20_000;

/**
 * Makes the port. It speaks TLS; a connection that begins with anything else is read as plain HTTP and given to the same handler,
 * which refuses it (or serves it, when it comes from a trusted proxy): the handler sees by the socket which one it is.
 */
export function createApiPort(deps: {
  readonly certificate: ServerCertificate;
  readonly handler: RequestListener;
  /** Answers what is no HTTP, or closes it. */
  readonly clientError?: (error: Error, socket: Duplex) => void;
}): ApiPort {
  const options = {
    keepAliveTimeout: 65_000,
    headersTimeout: 30_000,
    requestTimeout: 60_000,
    requireHostHeader: false, // the handler says so in its own words
  };
  const https = createHttpsServer({ ...options, ...tlsServerOptions(deps.certificate) }, deps.handler);
  const http = createHttpServer(options, deps.handler);
  const { clientError } = deps;
  for (const server of [https, http]) {
    // Node would answer these by itself: an Expect that it does not know with 417, CONNECT by hanging up.
    server.on('checkExpectation', deps.handler);
    if (clientError === undefined) continue;
    server.on('clientError', clientError);
    server.on('connect', (_request, socket) => clientError(new Error('CONNECT'), socket));
  }
  const open = new Set<Socket>();
  const take = (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    const refuse = () => void socket.destroy();
    socket.on('error', refuse);
    socket.setTimeout(firstByteMs, refuse);
    socket.once('readable', () => {
      const first: unknown = socket.read();
      if (!Buffer.isBuffer(first)) return refuse();
      socket.setTimeout(0);
      socket.off('timeout', refuse);
      socket.unshift(first);
      (first[0] === tlsHandshake ? https : http).emit('connection', socket);
    });
  };
  const port = createNetServer({ noDelay: true }, take);
  return {
    listen: (number, host) =>
      new Promise((resolve, reject) => {
        port.once('error', reject);
        port.listen({ port: number, ...(host === undefined ? {} : { host }), backlog: 1024 }, () => {
          port.off('error', reject);
          const address = port.address();
          resolve(address !== null && typeof address === 'object' ? address.port : number);
        });
      }),
    renew: (certificate) => https.setSecureContext(secureContextOptions(certificate)),
    close: (graceMs) =>
      new Promise((resolve) => {
        const cut = setTimeout(() => {
          for (const socket of open) socket.destroy();
        }, graceMs);
        port.close(() => {
          clearTimeout(cut);
          resolve();
        });
        https.closeIdleConnections();
        http.closeIdleConnections();
      }),
  };
}
